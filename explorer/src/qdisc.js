/** What manages a queue, as a spec has it: which discipline, and those of its parameters that people change. */

import { made, options } from "./dom.js";
import { valueAt } from "./edit.js";
import { placed } from "./network.js";

/** Of a kernel only. */
const ELSEWHERE = new Set(["cake"]);
const MS_NS = 1e6;

/** Lists and a text of the discipline at a path; `set(path, value)`: what a change calls. */
export class QdiscControl {
  constructor(tables, { path, of = "" }, set) {
    Object.assign(this, { tables, path, set: (value) => set(path, value) });
    const meaning = (key) => tables.meanings[`${path.replace(/\[\d+\]/, "[]")}.${key}`];
    this.kind = made("select", { "aria-label": `Discipline${of}`, change: () => this.set(this.kind.value === "fifo" ? undefined : this.kind.value) });
    this.target = made("input", {
      type: "text", "aria-label": `Target${of}, with its unit`, spellcheck: false, change: () => this.#change("target", this.target.value.trim() || undefined),
    });
    this.ecn = made("select", {
      "aria-label": `Marks by ECN${of}`, change: () => this.#change("ecn", this.ecn.value === "" ? undefined : this.ecn.value === "true"),
    });
    this.labels = { target: made("label", { title: meaning("target") }, "target ", this.target), ecn: made("label", { title: meaning("ecn") }, "ECN ", this.ecn) };
    this.element = made("div", { className: "bar qdisc" },
      made("label", { title: meaning("kind") }, "Queue ", this.kind), ...Object.values(this.labels));
  }

  /** Shows what an experiment says; `problems`: paths of fields that have one. */
  show(fields, problems) {
    const path = placed(fields, this.path, this.tables);
    const written = valueAt(fields, path) ?? "fifo";
    const kind = String(written instanceof Map ? written.get("kind") : written);
    this.own = written instanceof Map ? written : new Map([["kind", kind]]);
    const names = this.tables.options[this.path.replace(/\[\d+\]/, "[]")];
    const rows = names.map((name) => [name, ELSEWHERE.has(name) ? `${name} (a kernel: dumbbell run --engine linux)` : name, ELSEWHERE.has(name)]);
    const isList = Array.isArray(written);
    if (!names.includes(kind)) rows.unshift([kind, isList ? "a list" : kind]);
    this.kind.replaceChildren(...options(rows, kind));
    this.kind.disabled = isList;
    this.kind.setAttribute("aria-invalid", String([...problems].some((each) => each.startsWith(path))));
    const { parameters, usual } = this.tables.spec.discipline(kind);
    for (const [key, label] of Object.entries(this.labels)) label.hidden = isList || !parameters.includes(key);
    const target = this.own.get("target");
    this.target.placeholder = usual.target_ns === undefined ? "" : `${usual.target_ns / MS_NS} ms`;
    if (document.activeElement !== this.target) this.target.value = String(target ?? "");
    this.target.disabled = Array.isArray(target);
    this.ecn.replaceChildren(...options([["", `as tc: ${usual.ecn ? "marks" : "drops"}`], ["true", "marks"], ["false", "drops"]], String(this.own.get("ecn") ?? "")));
    this.ecn.disabled = Array.isArray(this.own.get("ecn"));
  }

  /** Another parameter; a discipline that has none is its name alone. */
  #change(key, value) {
    const own = new Map(this.own);
    if (value === undefined) own.delete(key);
    else own.set(key, value);
    this.set(own.size > 1 ? own : own.get("kind"));
  }
}
