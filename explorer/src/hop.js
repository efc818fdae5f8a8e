/** One more queue of an experiment: a switch, and behind it the rate and the room of that queue, and what manages it. */

import { BufferControl } from "./buffer.js";
import { made } from "./dom.js";
import { valueAt } from "./edit.js";
import { QdiscControl } from "./qdisc.js";
import { QuantityControl } from "./quantity.js";

/**
 * `hop`: `{title, meaning, rate, list, place}`, the row of its rate, the list of hops that it may stand in, and its place there.
 * `set(path, text)`: what a change of its fields calls; `turn(isOn)`: what the switch does.
 */
export class HopControl {
  constructor(tables, hop, set, turn) {
    const { title, meaning, rate } = hop;
    this.hop = hop;
    this.shown = [
      new QuantityControl(tables, rate, set),
      new BufferControl(tables, { ...rate, path: rate.path.replace(/rate$/, "buffer") }, set),
      new QdiscControl(tables, { ...rate, path: rate.path.replace(/rate$/, "qdisc") }, set),
    ];
    this.rows = made("div", {}, ...this.shown.map(({ element }) => element));
    const id = `${meaning}-note`;
    this.isOn = made("input", { type: "checkbox", "aria-describedby": id, change: () => turn(this.isOn.checked) });
    this.note = made("small", { id });
    this.element = made("div", { className: "hop" }, made("label", { title: tables.meanings[meaning] }, this.isOn, ` ${title}`), this.note, this.rows);
  }

  /** Shows what the words of an experiment say, with the keys of its link; `problems`: paths of fields that have one, `written`:
   * the words without those keys. */
  show(fields, problems, written) {
    const { list, place, rate } = this.hop;
    const hops = valueAt(fields, list);
    const names = Array.isArray(hops) ? hops.map((hop) => hop.get?.("name")) : [];
    const others = names.slice(place + 1);
    const table = rate.path.replace(".rate", "");
    const isOfLink = valueAt(fields, table) instanceof Map && !valueAt(written, table);
    const isLink = list === "hops" && valueAt(written, "path.link") !== undefined;
    this.isOn.checked = names.length > place || (!names.length && valueAt(fields, table) instanceof Map);
    this.isOn.disabled = others.length > 0 || isOfLink || isLink || !(valueAt(fields, "path") instanceof Map);
    this.note.textContent = others.length ? `${others.join(", ")} ${others.length > 1 ? "have" : "has"} no controls: change ${others.length > 1 ? "them" : "it"} as TOML, below` : isOfLink ? "the link has one" : isLink ? "a link is one hop: choose one of its own above" : "";
    this.rows.hidden = !this.isOn.checked;
    if (this.isOn.checked) for (const control of this.shown) control.show(fields, problems);
  }
}
