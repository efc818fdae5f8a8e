/** The queues of an experiment as its spec writes them: keys of `[path]`, a list of hops, a way back. */

import { changed, copied, valueAt } from "./edit.js";

/** The lists of hops, by the table that has the keys of a single one in their place. */
const LISTS = { path: "hops", "path.back": "path.back.hops" };
/** What the only queue of a path and of a way back are called, and what the first two of a list are from now on. */
const [OF_PATH, OF_BACK] = ["bottleneck", "back"];
const NAMES = ["first", "second", "third"];

const listed = (fields, table) => {
  const hops = valueAt(fields, LISTS[table]);
  return Array.isArray(hops) && hops.every((hop) => hop instanceof Map) ? hops : [];
};
/** The keys that a path has in common with each of its hops. */
const sharedKeys = ({ meanings }) => Object.keys(meanings).filter((path) => /^path\.\w+$/.test(path))
  .map((path) => path.slice("path.".length)).filter((key) => `hops[].${key}` in meanings);
const one = (value) => (Array.isArray(value) ? value[0] : value);

/** Where a field stands: where hops are listed, those of a queue stand in the first of them. */
export function placed(fields, path, { meanings }) {
  const [, table, key] = /^(path|path\.back)\.(\w+)$/.exec(path) ?? [];
  return table && `hops[].${key}` in meanings && listed(fields, table).length ? `${LISTS[table]}[0].${key}` : path;
}

/** Whether an experiment has the table of a field of a queue. */
export const isThere = (fields, path) => valueAt(fields, path.replace(/\.\w+$/, "")) instanceof Map;

/** The names of the hops of the path and of those on the way back: `{down, up}`. */
export function hopNames(fields) {
  const names = (table) => listed(fields, table).map((hop) => hop.get("name"));
  const [down, up] = [names("path"), names("path.back")];
  return { down: down.length ? down : [OF_PATH], up: up.length || !valueAt(fields, "path.back") ? up : [OF_BACK] };
}

/** Another hop behind the first one, with its rate and its buffer; or, if `isOn` is not so, the first alone. */
export function withSecond(fields, isOn, tables) {
  const keys = sharedKeys(tables);
  const path = valueAt(fields, "path");
  if (isOn) {
    const hops = copied(listed(fields, "path"));
    if (!hops.length) hops.push(new Map([["name", NAMES[0]], ...[...path].filter(([key]) => keys.includes(key))]));
    const name = NAMES.slice(1).find((each) => each !== hops[0].get("name"));
    hops.push(new Map([["name", name], ...rateAndBuffer(hops[0])]));
    const rest = [...path].filter(([key]) => !keys.includes(key));
    return zipped(behind(changed(fields, "path", new Map(rest)), "path", "hops", hops), /^path\.(\w+)$/, "hops[0].$1", keys);
  }
  const order = Object.keys(tables.meanings);
  const own = [...path, ...[...(listed(fields, "path")[0] ?? [])].filter(([key]) => keys.includes(key))].filter(([key]) => key !== "bottleneck");
  own.sort(([a], [b]) => order.indexOf(`path.${a}`) - order.indexOf(`path.${b}`));
  const short = changed(changed(withoutRoutes(fields, hopNames(fields).down), "hops", undefined), "path", new Map(own));
  return zipped(short, /^hops\[0\]\.(\w+)$/, "path.$1", keys);
}

/** A queue on the way back, with the rate and the buffer of the first on the path; or none, and no data goes that way. */
export function withBack(fields, isOn) {
  if (isOn) return changed(fields, "path.back", new Map(rateAndBuffer(listed(fields, "path")[0] ?? valueAt(fields, "path"))));
  const copy = changed(withoutRoutes(fields, hopNames(fields).up), "path.back", undefined);
  for (const group of groupsOf(copy)) group.delete("direction");
  return copy;
}

const rateAndBuffer = (hop) => ["rate", "buffer"].map((key) => [key, one(hop.get(key))]).filter(([, value]) => value !== undefined);
const groupsOf = (fields) => (valueAt(fields, "flows") ?? []).filter((group) => group instanceof Map);

/** A copy in whose routes these hops are not named. */
function withoutRoutes(fields, gone) {
  const copy = copied(fields);
  for (const group of groupsOf(copy)) {
    const route = [group.get("route") ?? []].flat().filter((name) => !gone.includes(name));
    if (route.length) group.set("route", route);
    else group.delete("route");
  }
  return copy;
}

/** A copy with a field behind another one: tables are read in the order in which packets meet what they describe. */
const behind = (fields, key, name, value) => new Map([...fields].filter(([own]) => own !== name)
  .flatMap((pair) => (pair[0] === key ? [pair, [name, value]] : [pair])));

/** A copy in whose zips the fields of the first queue are called otherwise. */
function zipped(fields, from, to, keys) {
  const zip = valueAt(fields, "zip");
  if (!Array.isArray(zip)) return fields;
  const renamed = (path) => (keys.includes(from.exec(path)?.[1]) ? path.replace(from, to) : path);
  return changed(fields, "zip", zip.map((paths) => [paths].flat().map(renamed)));
}

/** Of a run: whether a flow's data pass its bottleneck. A twin of `Flow.passes` in `spec/flow.py`. */
export function passesBottleneck({ direction = "down", route }, { bottleneck = 0 }) {
  const [first, last] = route?.data ?? [bottleneck, bottleneck];
  return direction === "down" && first <= bottleneck && bottleneck <= last;
}

/** Of a planned run: the name of its bottleneck, where it has one of several, what manages its queue, and the groups whose data goes on
 * the way back. */
export function waysOf({ run: { path, flows }, names }) {
  const up = new Set(names.filter((_, flow) => flows[flow].direction === "up"));
  return { bottleneck: path.hops?.[path.bottleneck ?? 0].name, kind: path.qdisc?.kind ?? "fifo", up };
}

/** Of a run: each queue's rate, its changes and its room, in the order of a measurement's hops, and the way on which it is. */
export function linesOfRun({ path }) {
  const down = path.hops?.length ? path.hops : [path];
  return [...down.map((line) => ({ line, direction: "down" })), ...(path.back ?? []).map((line) => ({ line, direction: "up" }))];
}
