/** What leaves the page, and comes back: links, files, commands. */

import { encoded } from "./address.js";
import { byId, saved } from "./dom.js";
import { csvOf } from "./experiment.js";

const COPIED_MS = 2_000;

/** The buttons of sharing and export. */
export class Sharing {
  constructor(explorer) {
    this.explorer = explorer;
    this.fragment = "";
    byId("share").addEventListener("click", ({ currentTarget }) => {
      byId("sharing").hidden = !byId("sharing").hidden;
      currentTarget.setAttribute("aria-expanded", String(!byId("sharing").hidden));
    });
    byId("made").textContent = `Made by dumbbell ${explorer.version}, simulator ${explorer.identity.slice(0, 12)}. A link reproduces the same bytes in this version.`;
    byId("sharing").addEventListener("click", ({ target }) => {
      if (target.dataset.copy) this.#copy(target);
      if (target.dataset.save) this.#save(target.dataset.save);
    });
    byId("file").addEventListener("change", async ({ target }) => {
      await this.#open([...target.files]);
      target.value = ""; // so that the same file, when it has changed, can be opened again
    });
    for (const name of ["dragover", "drop"]) {
      document.addEventListener(name, (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        if (name === "drop") this.#open([...event.dataTransfer.files]);
      });
    }
  }

  /** Puts the experiment into the address, so that the address is a link. */
  async address() {
    const { explorer } = this;
    const { files } = explorer.tables.spec;
    const view = explorer.survey.storedView(explorer.tab);
    this.fragment = await encoded({ toml: explorer.text, view, ...(Object.keys(files).length && { files }) }, explorer);
    try {
      history.replaceState(null, "", `#${this.fragment}`);
    } catch {
      // Some browsers allow none for a file; the button copies it all the same.
    }
  }

  /** What a button copies: a link, a command or Python. */
  text(kind) {
    if (kind === "link") return `${location.href.split("#")[0]}#${this.fragment}`;
    return kind === "command" ? shellOf(this.explorer.text) : pythonOf(this.explorer.text);
  }

  async #copy(button) {
    const text = this.text(button.dataset.copy);
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Could not copy";
    }
    setTimeout(() => { button.textContent = label; }, COPIED_MS);
  }

  async #save(kind) {
    const { explorer } = this;
    const { seeds, sweep, map } = { seeds: explorer.ofSeeds, sweep: explorer.survey.curves, map: explorer.survey.map };
    const picture = { seeds, sweep, map }[explorer.tab] ?? explorer.picture;
    if (kind === "toml") saved("experiment.toml", explorer.text, "application/toml");
    else if (kind === "json") saved("experiment.json", await this.json(), "application/json");
    else if (kind === "csv") saved("series.csv", csvOf(explorer.picture.spec), "text/csv");
    else if (kind === "svg") saved("figure.svg", await picture.file("svg"), "image/svg+xml");
    else if (kind === "png") saved("figure.png", blobOf(await picture.file("png")), "image/png");
  }

  /** The run that is shown as JSON: its spec, and the measurement as the simulator wrote it. */
  async json() {
    const { explorer } = this;
    const { shown } = explorer; // not what is being typed
    const measurement = new TextDecoder().decode(await explorer.answered(shown));
    return runFile(explorer, shown.text, shown.seed, measurement);
  }

  /** Opens a spec with the files that it names; without a spec the files are for the one that is here. */
  async #open(all) {
    const { explorer } = this;
    let spec;
    const files = {};
    for (const file of all) {
      try {
        const text = await file.text();
        if (/\.(toml|json)$/i.test(file.name)) spec = { toml: file.name.endsWith(".json") ? specOf(text) : text, name: file.name };
        else files[file.name] = text;
      } catch (error) {
        explorer.notice(error instanceof SyntaxError ? `${file.name} is no experiment of the explorer: it has no "spec".` : `${file.name} cannot be read.`);
        return;
      }
    }
    explorer.notice("");
    if (spec) explorer.show({ toml: spec.toml, files });
    else if (all.length) explorer.give(files);
    if (spec && document.body.dataset.problems !== "0") explorer.notice(`${spec.name} has problems, which stand below.`);
  }
}

/** The spec of a run that was saved as JSON. */
function specOf(text) {
  const { spec } = JSON.parse(text);
  if (typeof spec !== "string") throw new SyntaxError("no spec");
  return spec;
}

/** A run as `dumbbell results import` reads it. `measurement` is JSON; the seed may be larger than numbers of JavaScript can be. */
export function runFile({ version, identity }, spec, seed, measurement) {
  const head = JSON.stringify({ version, identity, spec }).slice(0, -1);
  return `${head},"seed":${seed},"measurement":${measurement}}\n`;
}

/** What writes the spec to a file and runs it, for a shell. */
export function shellOf(text) {
  return `cat > experiment.toml <<'EOF'\n${text.trimEnd()}\nEOF\ndumbbell run experiment.toml\n`;
}

/** The same for Python. */
export function pythonOf(text) {
  const quotedText = text.trimEnd().replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  return `import tomllib\n\nimport dumbbell\n\nexperiment = dumbbell.Experiment(**tomllib.loads("""\n${quotedText}\n"""))\nresults = dumbbell.run(experiment)\n`;
}

/** The bytes of a data URL: the page's policy forbids to fetch even those. */
function blobOf(url) {
  const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(url);
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type });
}
