/** What kind of line the path is: values of its own, a preset of `crates/spec/src/links.toml`, or a recording that was opened. */

import { made, options } from "./dom.js";
import { changed, copied, valueAt } from "./edit.js";

/** How a trace begins, behind its remarks: a table's columns, or the first of many deliveries. */
const TRACE = /^(\s*(#.*)?\n)*\s*(time\s*,|\d+\s*(\n|$))/;
/** Keys that a recorded line has itself. */
const RECORDED = ["rate", "change"];
/** Of a path that has had neither a rate nor a preset. */
const USUAL_RATE = "20 Mbit/s";

/** An experiment whose path has the keys of its preset, where it writes none itself; the same where there is no preset. */
export function completed(fields, spec) {
  const path = valueAt(fields, "path");
  return path instanceof Map && typeof path.get("link") === "string" ? new Map([...fields, ["path", spec.completed(path)]]) : fields;
}

/** An experiment with another preset, whose keys the path gives up; with none, "", it writes them itself. */
export function withLink(fields, name, { links, spec }) {
  const full = completed(fields, spec);
  if (!name) return changed(full, "path.link", undefined);
  const link = links.find((each) => each.name === name);
  const own = copied(valueAt(fields, "path"));
  for (const { path } of link.keys) {
    own.delete(path);
    const [table, key] = path.split(".");
    if (key === undefined || !(own.get(table) instanceof Map)) continue;
    own.get(table).delete(key);
    if (!own.get(table).size) own.delete(table);
  }
  return changed(fields, "path", new Map([["link", name], ...[...own].filter(([key]) => key !== "link")]));
}

/** An experiment whose line is a recording; with none, "", it has a rate again. */
export function withTrace(fields, name) {
  const path = copied(valueAt(fields, "path"));
  for (const key of RECORDED) path.delete(key);
  if (name) path.set("trace", name);
  else {
    path.delete("trace");
    if (!path.has("link")) return changed(fields, "path", new Map([["rate", USUAL_RATE], ...path]));
  }
  return changed(fields, "path", path);
}

/** The lists of presets and recordings, and what a preset's values come from. */
export class LinkControl {
  /** `edit(fields)`: what a change calls. */
  constructor(tables, edit) {
    this.tables = tables;
    this.link = made("select", {
      "aria-label": "Link", title: tables.meanings["path.link"], change: () => edit(withLink(this.fields, this.link.value, tables)),
    });
    this.trace = made("select", {
      "aria-label": "Recording of the line", title: tables.meanings["path.trace"], change: () => edit(withTrace(this.fields, this.trace.value)),
    });
    this.recorded = made("label", {}, "Line ", this.trace);
    this.about = made("p", { className: "fine" });
    this.sources = made("ul", { className: "fine sources" });
    this.details = made("details", {}, made("summary", {}, "Where its values come from"), this.about, this.sources);
    this.element = made("div", { className: "link" }, made("div", { className: "bar" }, made("label", {}, "Link ", this.link), this.recorded), this.details);
  }

  /** Shows what an experiment says; `problems`: paths of fields that have one. */
  show(fields, problems) {
    const { links, spec } = this.tables;
    this.fields = fields;
    const [link, trace] = [valueAt(fields, "path.link"), valueAt(fields, "path.trace")];
    const there = valueAt(fields, "path") instanceof Map;
    choicesOf(this.link, [["", "of its own"], ...links.map(({ name }) => [name, name])], link, there);
    this.link.setAttribute("aria-invalid", String(problems.has("path.link")));
    const traces = Object.keys(spec.files).filter((name) => TRACE.test(spec.files[name].slice(0, 10_000)));
    choicesOf(this.trace, [["", "as set below"], ...traces.map((name) => [name, name])], trace, there);
    this.trace.setAttribute("aria-invalid", String(problems.has("path.trace")));
    this.recorded.hidden = !traces.length && trace === undefined;
    const chosen = links.find(({ name }) => name === link);
    this.details.hidden = !chosen;
    if (!chosen) return;
    this.about.textContent = chosen.about;
    this.sources.replaceChildren(...chosen.keys.map(({ path, text, source }) => made("li", {},
      made("code", {}, text.includes("\n") ? `${path}: ${text.split("\n").length} entries` : `${path} = ${text}`),
      `: ${originOf(fields, path) ?? source}`)));
  }
}

/** What an experiment has in the place of a preset's value; undefined: nothing. */
function originOf(fields, path) {
  if (valueAt(fields, `path.${path}`) !== undefined) return "here the experiment has a value of its own";
  const isRecorded = valueAt(fields, "path.trace") !== undefined && RECORDED.includes(path);
  return isRecorded ? "here the recording has its own" : undefined;
}

/** Shows the choices of a list; what is none of them can be kept, and not chosen. */
function choicesOf(select, rows, value, isThere) {
  const own = Array.isArray(value) ? "a list" : String(value ?? "");
  if (!rows.some(([each]) => each === own)) rows.push([own, own, true]);
  select.replaceChildren(...options(rows, own));
  select.disabled = !isThere || Array.isArray(value);
}
