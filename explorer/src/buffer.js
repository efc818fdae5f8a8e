/** The room of the queue, in the unit in which a reader thinks of it. */

import { made, options } from "./dom.js";
import { valueAt } from "./edit.js";
import { placed } from "./network.js";
import { numberAt, placeOf, STEPS } from "./scale.js";

/** Times are at the rate of the path. By the unit that is chosen: how it is called, and the ends of the slider. */
const ROOMS = {
  bdp: { called: "BDP", ends: [0.05, 50] },
  ms: { called: "ms", ends: [0.5, 5000] },
  kB: { called: "kB", ends: [2, 20_000] },
  packets: { called: "packets", ends: [1, 10_000] },
};
const DIGITS_SHOWN = 3;
const DIGITS_WRITTEN = 6;

const rounded = (number, digits) => String(Number(number.toPrecision(digits)));

/** A slider, a text and a list of units of the buffer at a path; `set(path, text)`: what a change calls. */
export class BufferControl {
  constructor(tables, { path, of = "" }, set) {
    Object.assign(this, { tables, path, unit: "bdp", set: (text) => set(path, text) });
    this.text = made("input", {
      type: "text", "aria-label": `Buffer${of}, with its unit`, spellcheck: false, change: () => this.set(this.text.value.trim() || undefined),
    });
    this.slider = made("input", {
      type: "range", min: 0, max: STEPS, step: 1, "aria-label": `Buffer${of}`,
      input: () => this.set(this.#written(numberAt(Number(this.slider.value), ROOMS[this.unit].ends))),
    });
    this.units = made("select", { "aria-label": `Unit of the buffer${of}`, change: () => this.#convert() },
      ...options(Object.entries(ROOMS).map(([unit, { called }]) => [unit, `in ${called}`]), "bdp"));
    this.equivalents = made("small", { className: "equivalents" });
    this.element = made("div", { className: "quantity", title: tables.meanings[path.replace(/\[\d+\]/, "[]")] },
      made("label", {}, "Buffer"), this.slider, this.text, this.units, this.equivalents);
  }

  /** Shows what the words of an experiment say; `problems`: paths of fields that have one. */
  show(fields, problems) {
    const path = placed(fields, this.path, this.tables);
    const written = valueAt(fields, path);
    const isList = Array.isArray(written);
    this.amounts = isList ? null : this.tables.spec.rooms(fields, path);
    if (this.amounts) this.unit = this.amounts.written;
    this.units.value = this.unit;
    const isCounted = valueAt(fields, "path.queue") === "packets";
    for (const option of this.units.options) option.disabled = isCounted && option.value === "kB";
    const number = this.amounts?.[this.unit];
    if (document.activeElement !== this.text) this.text.value = isList ? written.join(", ") : String(written ?? "");
    if (number !== undefined && document.activeElement !== this.slider) this.slider.value = placeOf(number, ROOMS[this.unit].ends);
    this.text.disabled = isList;
    this.slider.disabled = number === undefined;
    this.units.disabled = number === undefined;
    this.text.setAttribute("aria-invalid", String(problems.has(path)));
    this.slider.setAttribute("aria-valuetext", this.text.value);
    const others = Object.keys(ROOMS).filter((unit) => unit !== this.unit);
    this.equivalents.textContent = number === undefined ? "" : `= ${others.map((unit) => `${rounded(this.amounts[unit], DIGITS_SHOWN)} ${ROOMS[unit].called}`).join(" = ")}`;
  }

  /** A number in the chosen unit, as a spec has it. */
  #written(number) {
    return `${this.unit === "packets" ? Math.max(1, Math.round(number)) : rounded(number, DIGITS_WRITTEN)} ${this.unit}`;
  }

  /** The same room in another unit. */
  #convert() {
    this.unit = this.units.value;
    this.set(this.#written(Number(rounded(this.amounts[this.unit], DIGITS_SHOWN))));
  }
}
