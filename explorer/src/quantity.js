/** A quantity of an experiment as a slider and a text. */

import { made } from "./dom.js";
import { valueAt } from "./edit.js";
import { placed } from "./network.js";
import { numberAt, placeOf, STEPS } from "./scale.js";

/** `row`: `{path, label, of, units, least, most, zero}`, units being what they are by the first; `set(path, text)`: what a change calls. */
export class QuantityControl {
  constructor(tables, row, set) {
    Object.assign(this, { tables, row });
    const { path, label, of = "", units, least, most, zero } = row;
    const first = Object.keys(units)[0];
    const value = (place) => (zero !== undefined && place === 0 ? zero : `${numberAt(place, [least, most])} ${first}`);
    this.text = made("input", {
      type: "text", "aria-label": `${label}${of}, with its unit`, spellcheck: false, change: () => set(path, this.text.value.trim() || undefined),
    });
    this.slider = made("input", {
      type: "range", min: 0, max: STEPS, step: 1, "aria-label": label + of, input: () => set(path, value(Number(this.slider.value))),
    });
    const meaning = tables.meanings[path.replace(/\[\d+\]/, "[]")];
    this.element = made("div", { className: "quantity", title: meaning }, made("label", {}, label), this.slider, this.text);
  }

  /** Shows what the words of an experiment say; `problems`: paths of fields that have one. */
  show(fields, problems) {
    const { tables, row, text, slider } = this;
    const path = placed(fields, row.path, tables);
    const own = valueAt(fields, path);
    const isList = Array.isArray(own);
    const written = own ?? tables.defaults[row.path];
    if (document.activeElement !== text) text.value = isList ? own.join(", ") : String(written ?? "");
    const at = isList ? undefined : this.#place(String(written ?? ""));
    if (at !== undefined && document.activeElement !== slider) slider.value = at;
    slider.disabled = isList || at === undefined;
    text.disabled = isList;
    text.setAttribute("aria-invalid", String(problems.has(path)));
    slider.setAttribute("aria-valuetext", text.value);
  }

  #place(written) {
    const { units, least, most, zero } = this.row;
    const match = /^\s*([\d.eE+-]+)\s*(\S+)\s*$/.exec(written);
    if (!match || !units[match[2]]) return written === zero ? 0 : undefined;
    const number = Number(match[1]) * units[match[2]];
    return number > 0 && zero !== undefined ? Math.max(1, placeOf(number, [least, most])) : placeOf(number, [least, most]);
  }
}
