/** Whether the simulator was held against Linux's own TCP on paths like a run's: which stratum of the validation has it, or what
 * of it lies outside of the nearest one. */

import { valueAt } from "./edit.js";
import { changesInTime } from "./line.js";
import { baseName } from "./spec.js";

/** Fields of which a stratum says something by itself, or which decide nothing about who gets how much. */
const OF_EVERY = new Set(["name", "duration", "time_limit", "seeds", "start_jitter", "path.rate", "path.rtt", "path.buffer", "path.loss", "path.change", "path.bottleneck", "path.qdisc", "path.qdisc.kind", "path.qdisc.limit", "hops"]);
/** What is said of a key of a change that a stratum's changes lack: that is further off than a value out of range. */
const CHANGED = {
  rate: "a rate that changes", rtt: "an RTT that changes", delay: "a delay that changes", loss: "random loss that changes",
  buffer: "a buffer that changes", over: "changes that take time", outage: "an outage",
};
const OF_EVERY_GROUP = new Set(["name", "cc", "count", "start", "stagger"]);
const OF_EVERY_HOP = new Set(["name", "buffer", "change"]);
const OF_THE_BOTTLENECK = new Set(["rate", "loss"]);
const SHORT_ENDS = "until done";
/** Of numbers that were computed in other units. */
const ROUNDING = 1e-9;

/** `{isInside, text}` of a planned run and the words of its experiment; `strata`: Python's, by name. */
export function standing(spec, plan, strata, tables) {
  const facts = factsOf(plan);
  const ofQueue = Object.values(strata).filter((stratum) => isOfQueue(stratum, facts));
  const candidates = (ofQueue.length ? ofQueue : Object.values(strata)).map((stratum) => ({ stratum, ...faultsOf(stratum, spec, facts, tables) }));
  const isNearer = (one, other) => one.faults.length - other.faults.length || one.far - other.far;
  const nearest = candidates.reduce((best, each) => (isNearer(each, best) < 0 ? each : best));
  const isInside = !nearest.faults.length;
  const range = rangeText(nearest.stratum);
  const text = isInside
    ? `Within what was validated against the TCP of Linux 6.1: ${range}`
    : `Outside of what was validated against the TCP of Linux 6.1, so take it with care: ${nearest.faults.join("; ")}. Nearest: ${range}`;
  return { isInside, text: `${text}.` };
}

function factsOf({ run: { path, flows }, bdp_bytes, frame_bytes, groups }) {
  const roomOf = ({ buffer }) => buffer.bytes ?? buffer.packets * frame_bytes;
  const room = roomOf(path);
  const ways = new Map();
  for (const { direction, route } of flows) {
    const way = JSON.stringify([direction, route?.data]);
    ways.set(way, (ways.get(way) ?? 0) + 1);
  }
  const hops = path.hops ?? [];
  const lines = [...(hops.length ? hops : [path]), ...(path.back ?? [])];
  // What delays that change are longer by than at their least when the run begins.
  const added_ns = lines.flatMap(changesInTime).reduce((sum, { at_ns, delay_ns }) => sum + (Number(at_ns) ? 0 : Number(delay_ns ?? 0)), 0);
  return {
    ways, hops: hops.map((hop) => roomOf(hop) / bdp_bytes), bottleneck: path.bottleneck ?? 0,
    rate: path.rate_bps / 1e6, loss: path.loss_ppb / 1e7, buffer: room / bdp_bytes, packets: room / frame_bytes,
    rtt: Math.max(...flows.map(({ forward_delay_ns, return_delay_ns }) => forward_delay_ns + return_delay_ns + added_ns)) / 1e6,
    qdisc: path.qdisc?.kind ?? "fifo", isPoliced: path.shaper === "police",
    rooms: (path.changes ?? []).filter((change) => change.buffer).map((change) => roomOf(change) / bdp_bytes), ccs: groups.map(({ cc }) => cc),
  };
}

/** What of a run is outside of a stratum, and by how much in all: the logarithms of the factors between. */
function faultsOf(stratum, spec, facts, tables) {
  const faults = [];
  let far = 0;
  const within = (what, value, [least, most], unit) => {
    if (value >= least * (1 - ROUNDING) && value <= most * (1 + ROUNDING)) return;
    faults.push(`${what} ${few(value)}${unit}, not ${least} to ${most}${unit}`);
    far += value < least ? Math.log(least / value) : Math.log(value / most);
  };
  const { fields, groups } = stratum;
  within("rate", facts.rate, stratum.rate, " Mbit/s");
  if (!groups.rtt) within("RTT", facts.rtt, stratum.rtt, " ms");
  const room = fields["path.buffer"];
  const rooms = stratum.changes && stratum.change.buffer;
  for (const size of rooms ? facts.rooms : []) within("buffer", size, [rooms.from, rooms.to], " BDP");
  if (facts.isPoliced); // it has no queue
  else if (room) within("buffer", facts.packets, [room.from, room.to], " packets");
  else within("buffer", facts.buffer, stratum.buffer, " BDP");
  within("random loss", facts.loss, [stratum.lossless ? 0 : stratum.loss[0], stratum.lossless === 1 ? 0 : stratum.loss[1]], " %");
  const sources = Object.values(stratum.sources ?? {});
  for (const flows of facts.ways.values()) within("flows:", flows, [stratum.flows[0], stratum.flows[1] + sources.length], "");
  const [ways, hops] = [Object.values(stratum.ways ?? {}), valueAt(spec, "hops") ?? []];
  const [wayCount, linkCount] = [ways.length || 1, stratum.hops?.length || 1];
  if (facts.ways.size !== wayCount) faults.push(`data that goes ${facts.ways.size === 1 ? "one way" : `${facts.ways.size} ways`}, not ${wayCount}`);
  if ((hops.length || 1) !== linkCount) faults.push(`${hops.length > 1 ? `${hops.length} links in a row` : "one link"}, not ${linkCount}`);
  if (!isOfQueue(stratum, facts)) faults.push(`path.qdisc = ${facts.qdisc}`);
  faults.push(...facts.ccs.filter((cc) => !(cc in stratum.algorithms) && !(cc in (stratum.sources ?? {}))).map((cc) => `${cc.includes("[") ? `constants of ${baseName(cc)}` : cc}`));
  const rest = [...leaves(spec)].filter(([path]) => !OF_EVERY.has(path) && !/^(flows|measure|sweep)\b/.test(path));
  const isAdmitted = (drawn, path, value) => admits(drawn, path, value, spec, facts, tables);
  faults.push(...rest.filter(([path, value]) => !isAdmitted(fields[path], path, value)).map(fieldText));
  faults.push(...changeFaults(stratum, spec, facts, isAdmitted, tables));
  const needed = Object.keys(fields).filter((path) => path.startsWith("path.back.") && valueAt(spec, path) === undefined);
  faults.push(...needed.filter((path) => (tables.defaults[path] ?? null) === null).map((path) => `no ${path}`));
  for (const [number, hop] of stratum.hops?.length ? hops.entries() : []) {
    const isOther = number !== facts.bottleneck;
    if (isOther && facts.hops.length) within(`buffer of ${hop.get("name")}`, facts.hops[number], stratum.buffer, " BDP");
    const own = [...leaves(hop)].filter(([key]) => !OF_EVERY_HOP.has(key) && (isOther || !OF_THE_BOTTLENECK.has(key)));
    faults.push(...own.filter(([key, value]) => !isAdmitted(stratum.hop?.[key], `hops[].${key}`, value))
      .map(([key, value]) => fieldText([`hops[${number}].${key}`, value])));
  }
  if (valueAt(spec, "duration") === SHORT_ENDS && !fields.duration) faults.push(`duration = ${SHORT_ENDS}`);
  for (const [number, group] of (valueAt(spec, "flows") ?? []).entries()) {
    const own = [...leaves(group)].filter(([path, value]) => !OF_EVERY_GROUP.has(path) && !ways.some((way) => String(way[path]) === String(value)));
    faults.push(...own.filter(([path, value]) => !isAdmitted(groups[path] ?? sources.find((each) => path in each)?.[path], `flows[].${path}`, value))
      .map(([path, value]) => fieldText([`flows[${number}].${path}`, value])));
  }
  return { faults: [...new Set(faults)], far: far + faults.filter((fault) => Object.values(CHANGED).includes(fault)).length };
}

/** The same of changes in time: how many there are does not matter. */
function changeFaults({ changes, change, lasts }, spec, facts, isAdmitted, tables) {
  const drawn = changes ? change : {};
  const lines = [valueAt(spec, "path"), ...(valueAt(spec, "hops") ?? [])];
  const every = lines.flatMap((line) => line?.get("change") ?? []).flatMap((table) => [...table]).filter(([key]) => key in CHANGED);
  return every.map(([key, value]) => {
    const [own, size] = [drawn[key], magnitude(value, tables)];
    if (key === "rate" && !size) return Array.isArray(own) ? null : CHANGED.outage;
    if (!own) return CHANGED[key];
    const before = magnitude(valueAt(spec, `path.${key}`) ?? "", tables);
    const isRestored = lasts && Math.abs(size / before - 1) < ROUNDING;
    const isShort = key === "over" && Array.isArray(own) && size <= Math.max(...own.map((each) => magnitude(each, tables)));
    if (isShort || isRestored || key === "buffer" || isAdmitted(own, `path.change.${key}`, value)) return null;
    return `path.change: ${key} = ${value}`;
  }).filter((fault) => fault !== null);
}

const isOfQueue = ({ fields }, { qdisc }) => (fields["path.qdisc.kind"] ?? ["fifo"]).includes(qdisc);

/** Whether a field's value is its default, or one of those that were drawn. */
function admits(drawn, path, value, spec, facts, tables) {
  if (String(value) === String(tables.defaults[path])) return true;
  if (drawn === undefined) return false;
  if (Array.isArray(drawn)) return drawn.some((each) => String(each) === String(value)) || isBetween(drawn, value);
  const [, unit, size] = tables.spec.quantity(String(value)) ?? [];
  const [least, most] = [drawn.from, drawn.to].map((end) => {
    if (drawn.of) return end * magnitude(valueAt(spec, `path.${drawn.of}`) ?? `${facts.rate} Mbit/s`, tables);
    return magnitude(`${end} ${drawn.unit}`, tables);
  });
  return (drawn.of || (unit === "packets") === (drawn.unit === "packets")) && size >= least && size <= most;
}

/** Whether a number lies between those that were drawn. */
function isBetween(drawn, value) {
  const numbers = drawn.filter((each) => typeof each === "number");
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && numbers.length > 0 && number >= Math.min(...numbers) && number <= Math.max(...numbers);
}

const magnitude = (text, { spec }) => spec.quantity(String(text))?.[2] ?? 0;

/** Each field of some words with its path. */
function* leaves(fields, before = "") {
  if (!(fields instanceof Map)) return;
  for (const [key, value] of fields) {
    if (value instanceof Map) yield* leaves(value, `${before}${key}.`);
    else yield [before + key, value];
  }
}

const few = (value) => Number(value.toPrecision(3));
const fieldText = ([path, value]) => (value?.[0] instanceof Map ? `[[${path}]]` : `${path} = ${value}`);

function rangeText({ title, rate, rtt, buffer, loss, lossless, flows, fields }) {
  const room = fields["path.buffer"] ? `${fields["path.buffer"].from} to ${fields["path.buffer"].to} packets` : `${buffer[0]} to ${buffer[1]} BDP`;
  const losses = lossless === 1 ? "no random loss" : `random loss ${lossless ? "up" : `${loss[0]}`} to ${loss[1]} %`;
  return `${title} (${rate[0]} to ${rate[1]} Mbit/s, ${rtt[0]} to ${rtt[1]} ms, ${room}, ${losses}, ${flows[0]} to ${flows[1]} flows)`;
}
