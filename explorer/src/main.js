/** The page: an experiment, what came of it, and what a reader does with both. */

import { decoded, LinkError } from "./address.js";
import { amount } from "./amount.js";
import { standing } from "./bounds.js";
import { filled } from "./chart.js";
import { Controls } from "./controls.js";
import { axisOf, Cursor } from "./cursor.js";
import { byId, made, options } from "./dom.js";
import { changed } from "./edit.js";
import { planned } from "./experiment.js";
import { inTime } from "./lines.js";
import { completed } from "./link.js";
import { estimate, summarise } from "./metrics.js";
import { showMeans, showNumbers, showQueues } from "./readout.js";
import { waysOf } from "./network.js";
import { OutageControl } from "./outage.js";
import { Picture } from "./picture.js";
import { Player } from "./play.js";
import { Pool, Refused } from "./pool.js";
import { QUANTITIES_SHOWN, valuesOf } from "./readings.js";
import { Sharing } from "./share.js";
import { Specs } from "./spec.js";
import { showStrips } from "./strips.js";
import { Survey } from "./survey.js";
import { answer } from "./sentences.js";

/** A run that is estimated to take longer than this in a page is left to the command. */
const LONGEST_S = 20;
/** Nanoseconds that a packet takes, until this machine has been measured. */
const USUAL_NS = 400;
/** Fewer packets tell little of it: their run is over before it has well begun. */
const TELLING_PACKETS = 100_000;
/** A run that takes no longer than this is shown even when another one has been asked for since, milliseconds. */
const SHORT_MS = 400;
/** What shows how much chance decides. */
const MORE_SEEDS = 10n;
/** Where the controls are a sheet over the lower part of the page, as in its style. */
const PHONE = "(max-width: 780px)";
const TABS = ["time", "seeds", "sweep", "map", "play"];

/** The half-width of an interval in words. */
const intervalOf = (half_width, seeds) => {
  if (half_width !== null) return `± ${amount(half_width)}`;
  return seeds > 1 ? "nothing varied" : "-";
};

/** The page's state, and what changes it. */
class Explorer {
  constructor(data) {
    Object.assign(this, data);
    this.picture = new Picture(byId("plot-time"), { isInTime: true });
    this.cursor = new Cursor(this.picture, byId("cursor"), byId("at"));
    this.outage = new OutageControl(this, byId("plot-time"), () => (byId("cursor").hidden ? undefined : this.cursor.at_s));
    this.ofSeeds = new Picture(byId("plot-seeds"));
    this.controls = new Controls(this.tables, this.skeletons, (fields) => this.write(this.tables.spec.toml(fields)));
    this.survey = new Survey(this);
    this.player = new Player(this);
    this.sharing = new Sharing(this);
    this.tab = "time";
    this.cache = new Map(); // answers by run id, the oldest first
    this.ns_per_packet = USUAL_NS;
    this.generation = 0; // how many experiments there were
    this.seen = 0; // which of them is shown
    this.#listen();
  }

  /** Begins with the experiment of the address, else of the page's copy (`dumbbell explore`), else with the first preset. */
  async begin() {
    const packed = Uint8Array.from(atob(byId("wasm").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
    this.tables.spec = new Specs(await WebAssembly.instantiate(module, {}));
    this.pool = new Pool(byId("worker").textContent, module, Math.max(1, Math.min(8, navigator.hardwareConcurrency || 2)));
    await this.#open(location.hash.slice(1) || byId("start").textContent);
  }

  async #open(fragment) {
    let content = this.presets.presets[0];
    if (fragment) {
      try {
        const link = await decoded(fragment, this);
        content = link.content;
        if (link.isOther) {
          this.notice(`This link was made with dumbbell ${link.version}, and this page is ${this.version}: its simulator may give other numbers.`);
        }
      } catch (error) {
        if (!(error instanceof LinkError)) throw error;
        const isFirst = this.text === undefined;
        this.notice(`${error.message}. ${isFirst ? "Here is another experiment instead." : "The experiment that was here is still here."}`);
        if (!isFirst) {
          await this.sharing.address();
          return;
        }
      }
    }
    this.show(content);
  }

  /** Shows an experiment `{toml, view, files}`; files are texts by their names. */
  show({ toml, view = {}, files }) {
    this.tables.spec.files = Object.fromEntries(Object.entries(files ?? {}).filter(([, text]) => typeof text === "string"));
    this.survey.view(view);
    this.#choose(TABS.includes(view.tab) ? view.tab : "time", { focus: false });
    this.write(toml);
  }

  /** Takes files that the experiment names, texts by their names. */
  give(files) {
    const { spec } = this.tables;
    spec.files = { ...spec.files, ...files };
    this.write(this.text);
  }

  /** The experiment is another one now. */
  write(text) {
    this.text = text;
    this.generation += 1;
    document.body.dataset.state = "running";
    document.body.dataset.generation = this.generation;
    const { problems, fields, experiment } = this.tables.spec.check({ toml: text });
    this.fields = fields ?? this.fields;
    this.experiment = experiment;
    this.#showProblems(problems);
    this.aborting?.abort(new DOMException("another experiment", "AbortError"));
    this.aborting = new AbortController();
    if (experiment) this.#run(this.aborting.signal); // first of all: workers simulate while the page shows the rest
    else document.body.dataset.state = "failed";
    this.#nameExperiment();
    if (fields) {
      this.controls.show(fields, new Set(problems.map(({ path }) => path)));
      this.outage.show(fields);
      this.survey.offer(completed(fields, this.tables.spec));
    }
    if (document.activeElement !== byId("toml")) byId("toml").value = text;
  }

  /** Says which of the presets this is, and what it is about. */
  #nameExperiment() {
    const at = this.presets.presets.findIndex(({ toml }) => toml.trim() === this.text.trim());
    byId("preset").value = at < 0 ? "" : String(at);
    byId("about").hidden = at < 0;
    byId("about").textContent = at < 0 ? "" : this.presets.presets[at].about;
  }

  async #run(signal) {
    const { generation } = this;
    try {
      const plan = { ...planned(this.experiment, this.tables), text: this.text, fields: this.fields };
      this.affordable([plan]);
      const measurement = await this.measured(plan, { urgent: true, isShort: this.lastsMs([plan]) < SHORT_MS, signal });
      if (generation < this.seen) return;
      Object.assign(this, { seen: generation, shown: plan, measurement });
      await this.#showRun();
      if (generation < this.seen) return;
      document.body.dataset.run = plan.id;
      if (signal.aborted) return;
      await this.#showTab(signal);
      if (generation !== this.generation) return;
      document.body.dataset.state = "ready";
      this.sharing.address();
    } catch (error) {
      if (signal.aborted) return;
      this.failed(error);
    }
  }

  /** Whatever went wrong, in the place of the problems; the last picture stays. */
  failed(error) {
    document.body.dataset.state = "failed";
    if (!(error instanceof Refused)) console.error(error);
    this.#showProblems([{ path: "", message: error.message ?? String(error), hint: "" }]);
  }

  /** The measurement of a plan, from the simulator or from what is kept. */
  async measured(plan, how = {}) {
    return JSON.parse(new TextDecoder().decode(await this.answered(plan, how)));
  }

  /** The measurement of a plan and what became of each frame at its bottleneck from an instant on: `{measurement, log}`. */
  async watched(plan, from_ns, how = {}) {
    const id = `${plan.id}-from-${from_ns}`;
    return JSON.parse(new TextDecoder().decode(await this.answered({ ...plan, id }, how, `{"watch":{"run":${plan.json},"from_ns":${from_ns}}}`)));
  }

  /** The bytes of a plan's measurement, or of the answer to another request about it. */
  async answered(plan, how = {}, request = `{"measure":${plan.json}}`) {
    const cached = this.cache.get(plan.id);
    if (cached) return cached;
    const { bytes, took_ms } = await this.pool.ask(request, how);
    if (how.urgent && plan.packets >= TELLING_PACKETS) this.ns_per_packet = 0.5 * this.ns_per_packet + (0.5 * 1e6 * took_ms) / plan.packets;
    this.cache.set(plan.id, bytes);
    if (this.cache.size > 64) this.cache.delete(this.cache.keys().next().value);
    return bytes;
  }

  /** How long some runs take here, about, milliseconds. */
  lastsMs(plans) {
    const packets = plans.reduce((sum, plan) => sum + plan.packets, 0);
    return (packets * this.ns_per_packet) / 1e6 / Math.min(plans.length, this.pool.size);
  }

  /** Refuses runs that together would take too long here; nothing is lost. */
  affordable(plans) {
    const seconds = this.lastsMs(plans) / 1000;
    if (seconds > LONGEST_S) {
      const what = plans.length > 1 ? `These ${plans.length} runs` : "This";
      throw new Refused(`${what} would take about ${amount(seconds)} s here, more than ${LONGEST_S}: make it shorter or slower, take fewer values or seeds, or run it with \`dumbbell run\` ("Copy as a command").`);
    }
  }

  async #showRun() {
    const { shown, measurement } = this;
    this.summary = summarise(shown.run, measurement, shown.bdp_bytes, shown.names);
    const ways = waysOf(shown);
    const said = answer(this.summary, this.skeletons.matters, ways);
    byId("answer").textContent = said;
    showNumbers(byId("numbers"), this.summary);
    showQueues(byId("queues"), this.summary, ways);
    const { isInside, text } = standing(shown.fields, shown, this.bounds, this.tables);
    byId("bounds").textContent = text;
    byId("bounds").classList.toggle("outside", !isInside);
    const panels = inTime(this.skeletons, shown.run, measurement, shown.groups);
    const spec = filled(this.skeletons, "in_time", panels, `Throughput, cwnd, inflight, RTT and queue over time. ${said}`);
    await this.picture.show(spec);
    this.#showStripsAndCursor();
  }

  /** What stands above the picture in time, and the cursor under it: both have its axis. */
  #showStripsAndCursor() {
    const axis = axisOf(this.picture);
    if (axis && this.measurement) showStrips(byId("phases"), this.shown, this.measurement, this.skeletons, axis);
    this.cursor.again();
    const { view } = this.picture;
    if (!view || view === this.heard) return;
    this.heard = view;
    view.addSignalListener("zoom_x", () => this.#showStripsAndCursor());
  }

  /** What the chosen tab needs beside the run. */
  async #showTab(signal) {
    byId("progress").textContent = "";
    if (this.tab === "seeds") await this.#showSeeds(signal);
    else if (this.tab === "sweep" || this.tab === "map") await this.survey.run(this.tab, signal);
    else if (this.tab === "play") await this.player.run(signal);
  }

  async #showSeeds(signal) {
    const plans = this.experiment.seeds.map((seed) => planned(this.experiment, this.tables, { seed, isSummary: true }));
    this.affordable(plans);
    const measurements = await Promise.all(plans.map((plan) => this.measured(plan, { signal })));
    const summaries = measurements.map((measurement, i) => summarise(plans[i].run, measurement, plans[i].bdp_bytes, plans[i].names));
    const rows = [];
    for (const quantity of Object.values(QUANTITIES_SHOWN)) {
      for (const group of quantity.of(summaries[0]).keys()) {
        const values = valuesOf(quantity, summaries, group);
        if (!values.length) continue;
        const { mean, half_width, n } = estimate(values, this.tables.t);
        rows.push([group, quantity.label, amount(mean), intervalOf(half_width, plans.length), String(n)]);
      }
    }
    byId("few-seeds").hidden = plans.length > 1;
    showMeans(byId("means"), rows, plans.length > 1 ? `Means over ${plans.length} seeds, with 95 % intervals by Student's t` : "One seed");
    await this.ofSeeds.show(filled(this.skeletons, "sweep", this.survey.overSeeds(summaries, plans), "Shares of the goodput by seed"));
  }

  #showProblems(problems) {
    const list = byId("problems");
    list.hidden = !problems.length;
    document.body.dataset.problems = problems.length;
    byId("pictures").classList.toggle("stale", problems.length > 0);
    list.replaceChildren(...problems.map(({ path, message, hint }) => made("li", {},
      path ? made("code", {}, path) : "", `${path ? ": " : ""}${message}${hint ? `; ${hint}` : ""}`)));
  }

  /** A sentence above the page; empty: none. */
  notice(text) {
    byId("notice").hidden = !text;
    byId("notice").textContent = text;
  }

  #choose(tab, { focus = true } = {}) {
    this.tab = tab;
    for (const each of TABS) {
      const button = byId(`tab-${each}`);
      button.setAttribute("aria-selected", String(each === tab));
      button.tabIndex = each === tab ? 0 : -1;
      byId(`view-${each}`).hidden = each !== tab;
      if (each === tab && focus) button.focus();
    }
    if (focus && window.matchMedia(PHONE).matches) document.querySelector(".tabs").scrollIntoView();
  }

  #listen() {
    for (const tab of TABS) {
      const button = byId(`tab-${tab}`);
      button.addEventListener("click", () => {
        this.#choose(tab);
        if (this.text !== undefined) this.write(this.text);
      });
      button.addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step) byId(`tab-${TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length]}`).click();
      });
    }
    byId("more-seeds").addEventListener("click", () => this.write(this.tables.spec.toml(changed(this.fields, "seeds", MORE_SEEDS))));
    byId("toml").addEventListener("input", () => this.write(byId("toml").value));
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    const { presets } = this.presets;
    byId("preset").append(...options([["", "your own"], ...presets.map(({ title }, at) => [String(at), title])], ""));
    byId("preset").addEventListener("change", ({ target }) => {
      if (target.value) this.show(presets[Number(target.value)]);
    });
    byId("theme").addEventListener("change", ({ target }) => {
      if (target.value) document.documentElement.dataset.theme = target.value;
      else delete document.documentElement.dataset.theme;
      this.#again();
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#again());
    let resized;
    window.addEventListener("resize", () => {
      clearTimeout(resized);
      resized = setTimeout(() => this.#again(), 200);
    });
    window.addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.sharing.fragment) this.#open(location.hash.slice(1));
    });
    this.#guide();
  }

  #again() {
    for (const picture of [this.picture, this.ofSeeds, this.survey.curves, this.survey.map]) picture.again();
    this.picture.drawing.then(() => this.#showStripsAndCursor());
  }

  /** The guided tour: an experiment and some sentences a stop. */
  #guide() {
    const { tour } = this.presets;
    let at = 0;
    const begin = (isOn) => {
      byId("guide").hidden = !isOn;
      document.body.classList.toggle("touring", isOn);
    };
    const stop = () => {
      begin(true);
      spotlight(tour[at].control);
      byId("guide").querySelector("h2").textContent = `${at + 1} of ${tour.length}: ${tour[at].title}`;
      byId("guide").querySelector("p").textContent = tour[at].text;
      byId("guide").querySelector('[data-go="back"]').disabled = at === 0;
      byId("guide").querySelector('[data-go="on"]').disabled = at === tour.length - 1;
      byId("guide").scrollIntoView({ block: "start" });
      this.show(tour[at]);
    };
    byId("tour").addEventListener("click", () => { at = 0; stop(); });
    byId("guide").addEventListener("click", ({ target }) => {
      const { go } = target.dataset;
      if (go === "end") begin(false);
      else if (go) {
        at += go === "on" ? 1 : -1;
        stop();
      }
    });
  }
}

/** Of the controls, those that a stop of the tour speaks of; a phone has no room for the others. */
function spotlight(control) {
  for (const element of document.querySelectorAll("#controls > :not(.sheet), #path > *")) {
    element.classList.toggle("aside", !element.matches(control) && !element.closest(control) && !element.querySelector(control));
  }
}

const explorer = new Explorer(JSON.parse(byId("data").textContent));
window.explorer = explorer; // for tests, and for who looks behind the page
explorer.begin().catch((error) => explorer.failed(error));
