/** Outages of the line: pairs of changes, from the first of which on nothing leaves the queue. */

import { amount } from "./amount.js";
import { byId, made, options } from "./dom.js";
import { changed, valueAt } from "./edit.js";
import { NANOS_PER_S } from "./gauges.js";
import { ratesInTime } from "./line.js";
import { completed } from "./link.js";
import { linesOfRun, placed } from "./network.js";
import { Refused } from "./pool.js";

const NO_RATE = "0 bit/s";
const LASTS_S = ["0.2", "1", "5"];
const MILLIS_PER_S = 1e3;
const RATE_UNITS = [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3], ["bit/s", 1]];

/** An instant as a spec has it, to the millisecond. */
const instant = (seconds) => `${Math.round(MILLIS_PER_S * seconds) / MILLIS_PER_S} s`;

/** A rate as a spec has it, exactly. */
function writtenRate(rate_bps) {
  const [unit, factor] = RATE_UNITS.find(([, each]) => rate_bps >= each && Number.isInteger((1e3 * rate_bps) / each)) ?? RATE_UNITS.at(-1);
  return `${rate_bps / factor} ${unit}`;
}

/** The outages that changes say in pairs: `{at, until, places}`, times as written and the places of both changes. */
export function outagesOf(changes) {
  const isPlain = (change) => change instanceof Map && [...change.keys()].sort().join() === "at,rate";
  return changes.flatMap((change, place) => {
    const next = changes[place + 1];
    if (!isPlain(change) || change.get("rate") !== NO_RATE || !isPlain(next)) return [];
    return [{ at: change.get("at"), until: next.get("at"), places: [place, place + 1] }];
  });
}

/** Changes with an outage from an instant on. `line`: that of the run, which says what rate there is afterwards; `magnitude(text)`: by
 * which times are put in order.
 *
 * Refused where the line changes within that time, or is recorded. */
export function withOutage(changes, at_s, lasts_s, line, magnitude) {
  if (line.trace !== undefined) throw new Refused("a recorded line has its own outages: choose a line of its own under Path");
  const [at_ns, until_ns] = [at_s, at_s + lasts_s].map((seconds) => Math.round(MILLIS_PER_S * seconds) * (NANOS_PER_S / MILLIS_PER_S));
  const rates = ratesInTime(line);
  if (rates.some(([each]) => each >= at_ns && each <= until_ns)) throw new Refused(`the line changes between ${instant(at_s)} and ${instant(at_s + lasts_s)} already: cut it at another time`);
  const rate_bps = [[0, Number(line.rate_bps)], ...rates].filter(([each]) => each <= at_ns).at(-1)[1];
  const before = changes.filter((change) => magnitude(String(change.get("at"))) <= magnitude(instant(at_s)));
  const outage = [[at_s, NO_RATE], [at_s + lasts_s, writtenRate(rate_bps)]].map(([each_s, rate]) => new Map([["at", instant(each_s)], ["rate", rate]]));
  return [...before, ...outage, ...changes.filter((change) => !before.includes(change))];
}

/** The switch by which a click in the picture in time cuts the line, and the outages that there are. */
export class OutageControl {
  /** `at()`: the cursor's instant in seconds, undefined where there is none. */
  constructor(explorer, place, at) {
    Object.assign(this, { explorer, at });
    this.lasts = made("select", { "aria-label": "How long the line is out" }, ...options(LASTS_S.map((each) => [each, `for ${each} s`]), "1"));
    this.button = made("button", { type: "button", "aria-pressed": "false", click: () => this.#press(!this.isOn) }, "Cut the line");
    this.outages = made("span", { className: "outages" });
    this.hint = made("span", { className: "fine", role: "status" });
    byId("outages").append(this.button, this.lasts, this.outages, this.hint);
    this.#press(false);
    place.addEventListener("click", () => this.#cut());
    place.addEventListener("keydown", ({ key }) => { if (key === "Enter") this.#cut(); });
  }

  /** Shows the outages of an experiment. */
  show(fields) {
    const { tables } = this.explorer;
    this.fields = fields;
    this.path = placed(fields, "path.change", tables);
    const changes = valueAt(completed(fields, tables.spec), this.path);
    this.changes = Array.isArray(changes) ? changes : [];
    this.outages.replaceChildren(...outagesOf(this.changes).map(({ at, until, places }) => made("button", {
      type: "button", title: "Take this outage out", click: () => this.#write(this.changes.filter((_, place) => !places.includes(place))),
    }, `out ${at} to ${until} ×`)));
  }

  #press(isOn) {
    this.isOn = isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    byId("plot-time").classList.toggle("cutting", isOn);
    this.hint.textContent = isOn ? "Click in the picture where the line is to be cut, or press Enter at the cursor." : "";
  }

  #cut() {
    const at_s = this.at();
    const { shown, tables: { spec } } = this.explorer;
    if (!this.isOn || at_s === undefined || !shown || !this.fields) return;
    const [{ line }] = linesOfRun(shown.run);
    try {
      const changes = withOutage(this.changes, at_s, Number(this.lasts.value), line, (text) => spec.quantity(text)?.[2]);
      this.#press(false);
      this.#write(changes);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.hint.textContent = `${amount(at_s)} s: ${error.message}`;
    }
  }

  #write(changes) {
    const { explorer } = this;
    explorer.write(explorer.tables.spec.toml(changed(this.fields, this.path, changes.length ? changes : undefined)));
  }
}
