/** The controls of a source of short flows: when transfers arrive, and how large they are. */

import { made, options } from "./dom.js";

const ARRIVALS = [["load", "a share of the rate"], ["rate", "so many a second"]];
const NEW_ARRIVALS = { load: ["load", 0.3], rate: ["rate", "20 /s"] };
const SIZES = [["fixed", "all alike"], ["lognormal", "lognormal"], ["pareto", "Pareto"]];
const NEW_SIZES = {
  fixed: () => "50 kB",
  lognormal: () => new Map([["lognormal", new Map([["mean", "50 kB"], ["sigma", 1.5]])]]),
  pareto: () => new Map([["pareto", new Map([["mean", "50 kB"], ["shape", 1.2], ["maximum", "5 MB"]])]]),
};
const BEYOND = ["", "as written below"];

/** A workload of short flows as one begins with. */
export const newSource = () => new Map([["arrivals", new Map([NEW_ARRIVALS.load])], ["size", NEW_SIZES.pareto()]]);

/** The controls of one. `at`: its path; `problems`: paths of fields that have one; `set(path, value)`: what a change calls. */
export function sourceFields(workload, at, problems, set) {
  const [arrivals, size] = [workload.get("arrivals"), workload.get("size")];
  const leaf = (path, label, value) => made("label", {}, `${label} `, made("input", {
    type: "text", value: Array.isArray(value) ? value.join(", ") : String(value), disabled: Array.isArray(value),
    "data-field": path, "aria-invalid": String(problems.has(path)), change: ({ target }) => set(path, typed(target.value, label)),
  }));
  const leaves = (table, path) => [...(table instanceof Map ? table : [])].map(([key, value]) => leaf(`${path}.${key}`, key, value));
  const choice = (path, label, pairs, kind, change) => {
    const shown = pairs.some(([name]) => name === kind) ? pairs : [...pairs, BEYOND];
    return made("label", {}, `${label} `, made("select", {
      "data-field": path, change: ({ target }) => target.value && change(target.value),
    }, ...options(shown, kind ?? "")));
  };
  const how = arrivals instanceof Map ? Object.keys(NEW_ARRIVALS).find((key) => arrivals.has(key)) : undefined;
  const others = arrivals instanceof Map ? [...arrivals].filter(([key]) => !["load", "rate", "trace"].includes(key)) : [];
  const [kind] = size instanceof Map ? [...size.keys()].filter((key) => key in NEW_SIZES) : [typeof size === "string" ? "fixed" : undefined];
  return [
    choice(`${at}.arrivals`, "Arrive by", ARRIVALS, how, (name) => set(`${at}.arrivals`, new Map([NEW_ARRIVALS[name], ...others]))),
    ...leaves(arrivals, `${at}.arrivals`),
    choice(`${at}.size.kind`, "Sizes", SIZES, kind, (name) => set(`${at}.size`, NEW_SIZES[name]())),
    ...(kind === "fixed" ? [leaf(`${at}.size`, "size", size)] : kind ? leaves(size.get(kind), `${at}.size.${kind}`) : []),
  ];
}

/** A text as a spec has it: what is a number needs no unit here, and the only whole one is `count`. */
function typed(text, key) {
  const trimmed = text.trim();
  if (key === "count" && /^\d+$/.test(trimmed)) return BigInt(trimmed);
  return trimmed && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed || undefined;
}
