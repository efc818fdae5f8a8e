/** Sliders, lists and cards: each shows a field of the experiment and changes it. What they offer, and what it means, are
 * Python's tables. */

import { BufferControl } from "./buffer.js";
import { byId, made, options } from "./dom.js";
import { changed, valueAt } from "./edit.js";
import { HopControl } from "./hop.js";
import { completed, LinkControl } from "./link.js";
import { hopNames, placed, withBack, withSecond } from "./network.js";
import { QdiscControl } from "./qdisc.js";
import { QuantityControl } from "./quantity.js";
import { newSource, sourceFields } from "./source.js";
import { baseName, fieldsJson } from "./spec.js";

/** Path, label, units with what they are by the first, ends in the first unit; `zero`: the left end is nothing at all; `of`: what
 * the name has that the label has not, where it stands under a title. */
const RATE = { units: { "Mbit/s": 1, "Gbit/s": 1e3, "kbit/s": 1e-3 }, least: 1, most: 1000 };
const QUANTITIES = {
  path: [
    { path: "path.rate", label: "Rate", ...RATE },
    { path: "path.rtt", label: "Round trip", units: { ms: 1, s: 1e3, us: 1e-3 }, least: 1, most: 500 },
    { path: "path.loss", label: "Random loss", units: { "%": 1 }, least: 0.001, most: 30, zero: "0 %" },
    { path: "path.jitter", label: "Jitter of hosts", units: { us: 1, ms: 1e3 }, least: 1, most: 5000, zero: "none" },
  ],
  run: [
    { path: "duration", label: "Duration", units: { s: 1, ms: 1e-3, min: 60 }, least: 1, most: 300 },
  ],
};
/** Queues that an experiment may have beside the first one of its path. */
const MORE_HOPS = [
  { title: "Second hop", meaning: "hops", rate: { path: "hops[1].rate", label: "Rate", of: " of the second hop", ...RATE }, list: "hops", place: 1, turned: withSecond },
  { title: "Way back", meaning: "path.back", rate: { path: "path.back.rate", label: "Rate", of: " of the way back", ...RATE, least: 0.1 }, list: "path.back.hops", place: 0, turned: withBack },
];
const DIRECTIONS = [["down", "down"], ["up", "up, the way back"]];
const WORKLOADS = [["bulk", "as much as it can"], ["transfer", "a transfer"], ["stream", "a stream"], ["arrivals", "short flows"]];
const NEW_WORKLOADS = {
  bulk: () => undefined,
  transfer: () => new Map([["transfer", "10 MB"]]),
  stream: () => new Map([["stream", "3 Mbit/s"], ["for", "30 s"], ["every", "40 ms"]]),
  arrivals: newSource,
};

/** The controls of an experiment. `tables`, `skeletons`: Python's; `edit(fields)`: what a change calls. */
export class Controls {
  constructor(tables, skeletons, edit) {
    this.tables = tables;
    this.skeletons = skeletons;
    this.edit = edit;
    this.fields = new Map();
    this.cards = ""; // what the flows' cards show
    const set = (path, value) => this.#set(path, value);
    const quantities = Object.entries(QUANTITIES).flatMap(([place, rows]) => rows.map((row) => {
      const quantity = new QuantityControl(tables, row, set);
      byId(place).append(quantity.element);
      return quantity;
    }));
    const buffer = new BufferControl(tables, { path: "path.buffer" }, set);
    const qdisc = new QdiscControl(tables, { path: "path.qdisc" }, set);
    byId("path").children[1].after(buffer.element, qdisc.element);
    this.link = new LinkControl(tables, edit);
    byId("path").prepend(this.link.element);
    const hops = MORE_HOPS.map((hop) => new HopControl(tables, hop, set, (isOn) => this.edit(hop.turned(this.fields, isOn, tables))));
    this.shown = [...quantities, buffer, qdisc, ...hops];
    this.queue = made("select", { change: () => this.#set("path.queue", this.queue.value === "bytes" ? undefined : this.queue.value) },
      ...options([["bytes", "in bytes"], ["packets", "in packets"]], "bytes"));
    byId("path").append(made("div", { className: "bar" }, made("label", {}, "Queue counts ", this.queue)), ...hops.map(({ element }) => element));
    this.seeds = made("input", {
      type: "number", min: 1, max: 100, step: 1, change: () => this.#set("seeds", this.seeds.value ? BigInt(this.seeds.value) : undefined),
    });
    byId("run").append(made("div", { className: "bar" }, made("label", {}, "Seeds ", this.seeds)));
    byId("sheet").addEventListener("click", ({ currentTarget }) => {
      const isFolded = byId("controls").classList.toggle("folded");
      currentTarget.setAttribute("aria-expanded", String(!isFolded));
      currentTarget.textContent = isFolded ? "Show the controls" : "Hide the controls";
    });
    byId("add").addEventListener("click", () => {
      const flows = valueAt(this.fields, "flows") ?? [];
      this.#set(`flows[${flows.length}]`, new Map([["cc", this.#fresh(flows)]]));
    });
  }

  /** Shows an experiment; `problems`: paths of fields that have one. */
  show(fields, problems) {
    this.fields = fields;
    this.link.show(fields, problems);
    const seen = completed(fields, this.tables.spec);
    for (const control of this.shown) control.show(seen, problems, fields);
    this.queue.value = valueAt(seen, "path.queue") === "packets" ? "packets" : "bytes";
    const seeds = valueAt(fields, "seeds");
    if (document.activeElement !== this.seeds) this.seeds.value = Array.isArray(seeds) ? "" : String(seeds ?? this.tables.defaults.seeds);
    this.seeds.disabled = Array.isArray(seeds);
    this.#flows(valueAt(fields, "flows"), problems);
  }

  #set(path, value) {
    if (path.startsWith("flows")) this.cards = ""; // what was typed may mean the same as before, and is spelt otherwise
    this.edit(changed(this.fields, placed(this.fields, path, this.tables), value));
  }

  /** An algorithm that is not there yet. */
  #fresh(flows) {
    const there = new Set(flows.map((flow) => baseName(String(flow.get?.("cc") ?? ""))));
    return ["bbr", "cubic", "reno"].find((cc) => !there.has(cc)) ?? "cubic";
  }

  /** The cards of the flows, made anew where there is another thing to show. A field that has the focus keeps it, and what was
   * unfolded stays so. */
  #flows(flows, problems) {
    const place = byId("flows");
    if (!Array.isArray(flows)) {
      this.cards = "";
      place.replaceChildren();
      return;
    }
    const hops = hopNames(this.fields);
    const cards = fieldsJson([flows, [...problems].filter((path) => path.startsWith("flows")), hops.down, hops.up]);
    if (cards === this.cards) return;
    this.cards = cards;
    const unfolded = [...place.children].map((card) => card.querySelector("details")?.open);
    const focus = document.activeElement?.closest?.("#flows") ? document.activeElement.dataset.field : undefined;
    place.replaceChildren(...flows.map((flow, number) => this.#card(flow, number, flows.length, problems, hops)));
    if (unfolded.length === flows.length) {
      [...place.children].forEach((card, number) => { if (unfolded[number]) card.querySelector("details")?.setAttribute("open", ""); });
    }
    if (focus) place.querySelector(`[data-field="${CSS.escape(focus)}"]`)?.focus();
  }

  #card(flow, number, count, problems, hops) {
    const at = `flows[${number}]`;
    const get = (name) => (flow instanceof Map ? flow.get(name) : undefined);
    const cc = get("cc");
    const field = (name, label, { usual, ...more } = {}) => {
      const own = get(name);
      return made("label", { title: this.tables.meanings[`flows[].${name}`] }, label, made("input", {
        type: "text", value: own === undefined ? "" : String(own), placeholder: usual, spellcheck: false, "data-field": `${at}.${name}`,
        "aria-invalid": String(problems.has(`${at}.${name}`)), disabled: Array.isArray(own),
        change: ({ target }) => this.#set(`${at}.${name}`, target.value.trim() || undefined), ...more,
      }));
    };
    const look = this.skeletons.looks[baseName(String(cc))]?.[0].line.stroke;
    const card = made("div", { className: "card", role: "group", "aria-label": `Flows ${number + 1}` },
      made("div", { className: "row" },
        made("label", { className: "whole" }, "Algorithm ", this.#algorithm(cc, at)),
        made("label", {}, "Count ", made("input", {
          type: "number", min: 1, max: 100, value: String(get("count") ?? 1), "data-field": `${at}.count`, disabled: Array.isArray(get("count")),
          change: ({ target }) => this.#set(`${at}.count`, Number(target.value) > 1 ? BigInt(target.value) : undefined),
        })),
        field("start", "Start ", { usual: "0 s" }), field("rtt", "RTT ", { usual: "the path's" })),
      made("button", {
        type: "button", className: "remove", "aria-label": `Remove flows ${number + 1}`, disabled: count < 2, "data-field": `${at}.remove`,
        click: () => this.#set(at, undefined),
      }, "Remove"),
      this.#ecn(get("ecn"), at),
      this.#way(get("direction"), get("route"), at, hops),
      this.#workload(get("workload"), at, problems),
      this.#constants(cc, at));
    if (look) card.style.setProperty("--card", look);
    return card;
  }

  /** Those that the simulator has, and behind them, not to be chosen, those of a kernel only. */
  #algorithm(cc, at) {
    const { algorithms, variants, simulated } = this.tables;
    const names = [...Object.keys(algorithms), ...Object.keys(variants)];
    const isHere = (name) => simulated.includes(variants[name]?.base ?? name);
    const base = Array.isArray(cc) ? "" : baseName(String(cc ?? ""));
    const pairs = [
      ...names.filter(isHere).map((name) => [name, name]),
      ...names.filter((name) => !isHere(name)).map((name) => [name, `${name} (a kernel: dumbbell run --engine linux)`, true]),
    ];
    if (!names.includes(base)) pairs.unshift([base, Array.isArray(cc) ? "a list" : base || "choose"]);
    return made("select", {
      "data-field": `${at}.cc`, disabled: Array.isArray(cc), change: ({ target }) => this.#set(`${at}.cc`, target.value),
    }, ...options(pairs, base));
  }

  /** Whether the hosts of a group use ECN, and which. */
  #ecn(ecn, at) {
    const rows = [["false", "off"], ["true", "on"], ...(this.tables.options["flows[].ecn"] ?? []).map((name) => [name, name])];
    const value = Array.isArray(ecn) ? "" : String(ecn ?? false);
    if (!rows.some(([each]) => each === value)) rows.push([value, value ? "as written below" : "a list", true]);
    return made("div", { className: "row ways" }, made("label", { title: this.tables.meanings["flows[].ecn"] }, "ECN ", made("select", {
      "data-field": `${at}.ecn`, disabled: Array.isArray(ecn),
      change: ({ target: { value: own } }) => this.#set(`${at}.ecn`, own === "false" ? undefined : own === "true" || own),
    }, ...options(rows, value))));
  }

  /** Where a group's data goes and which hops of that way it passes, where there is a choice. */
  #way(direction, route, at, { down, up }) {
    const choice = (name, label, rows, value, written) => {
      const own = rows.some(([each]) => each === value) ? rows : [...rows, [value, "as written below", true]];
      return made("label", { title: this.tables.meanings[`flows[].${name}`] }, label, made("select", {
        "data-field": `${at}.${name}`, change: ({ target }) => this.#set(`${at}.${name}`, written(target.value)),
      }, ...options(own, value)));
    };
    const names = direction === "up" ? up : down;
    const passes = route === undefined ? "" : [route].flat().join(", ");
    const choices = [
      (up.length || direction !== undefined) && choice("direction", "Data goes ", DIRECTIONS, String(direction ?? "down"), (value) => (value === "up" ? value : undefined)),
      (names.length > 1 || passes) && choice("route", "Passes ", [["", "all hops"], ...names.map((name) => [name, `${name} alone`])], passes, (value) => (value ? [value] : undefined)),
    ].filter(Boolean);
    return choices.length ? made("div", { className: "row ways" }, ...choices) : undefined;
  }

  #workload(workload, at, problems) {
    const kind = workload instanceof Map ? [...workload.keys()].find((key) => key in NEW_WORKLOADS) : workload ?? "bulk";
    const isKnown = WORKLOADS.some(([name]) => name === kind);
    const pairs = isKnown ? WORKLOADS : [...WORKLOADS, ["", "as written below"]];
    const row = made("div", { className: "row" }, made("label", { className: "whole" }, "Sends ", made("select", {
      "data-field": `${at}.workload`,
      change: ({ target }) => target.value && this.#set(`${at}.workload`, NEW_WORKLOADS[target.value]()),
    }, ...options(pairs, isKnown ? kind : ""))));
    if (kind === "arrivals") row.append(...sourceFields(workload, `${at}.workload`, problems, (path, value) => this.#set(path, value)));
    else if (isKnown && workload instanceof Map) {
      for (const [name, value] of workload) {
        row.append(made("label", {}, name === kind ? "" : `${name} `, made("input", {
          type: "text", value: String(value), "data-field": `${at}.workload.${name}`, "aria-label": `${kind}: ${name}`,
          "aria-invalid": String(problems.has(`${at}.workload.${name}`)),
          change: ({ target }) => this.#set(`${at}.workload.${name}`, target.value.trim()),
        })));
      }
    }
    return row;
  }

  /** Every constant of the algorithm, as the registry has it; those that are changed stand in the algorithm's brackets. */
  #constants(cc, at) {
    const [, name, inline = ""] = /^(\w+)(?:\[(.*)\])?$/.exec(String(cc ?? "")) ?? [];
    const algorithm = this.tables.algorithms[name] ?? this.tables.algorithms[this.tables.variants[name]?.base];
    const parameters = Object.entries(algorithm?.parameters ?? {});
    if (!parameters.length) return undefined;
    const own = new Map(inline.split(",").filter(Boolean).map((pair) => pair.split("=").map((part) => part.trim())));
    const rows = parameters.map(([parameter, { default: usual, about, unit, range: [least, most] }]) => made("label", { title: `${about}; from ${least} to ${most}` }, `${parameter}${unit ? ` (${unit})` : ""} `, made("input", {
      type: "text", inputMode: "decimal", value: own.get(parameter) ?? "", placeholder: String(this.tables.variants[name]?.parameters?.[parameter] ?? usual),
      "data-field": `${at}.cc.${parameter}`,
      change: ({ target }) => {
        if (target.value.trim()) own.set(parameter, target.value.trim());
        else own.delete(parameter);
        const written = [...own].map((pair) => pair.join("=")).join(", ");
        this.#set(`${at}.cc`, written ? `${name}[${written}]` : name);
      },
    })));
    return made("details", { open: own.size > 0 }, made("summary", {}, `Constants (${rows.length})`), made("div", { className: "row constants" }, ...rows));
  }
}
