// What follows from the words of a point. Twin of python/dumbbell/spec/derived.py; of sizes, what spec/sizes.py has.
// All in base units: bigint where Python has integers, Fraction where it has fractions.

import { drawn } from "./chance.js";
import { Fraction } from "./fraction.js";
import { DependsOnInvalidField, isA, scalar } from "./section.js";

const NS_PER_S = 10n ** 9n;
const BITS_PER_BYTE = 8n;

/** When a run ends, at the latest. */
export function endNs(experiment) {
  const duration = scalar(experiment.duration);
  if (!duration.untilDone) return duration.ns;
  if (experiment.time_limit === null) throw new DependsOnInvalidField();
  return scalar(experiment.time_limit).ns;
}

/** When the last flow of a group starts, without jitter. */
export function lastStartNs(group) {
  return scalar(group.start).ns + (scalar(group.count) - 1n) * scalar(group.stagger).ns;
}

/** A source's sizes, as a request of crates/draw has them; null where none is written. */
export function sizesOf(source) {
  if (source.size === null) return null;
  const size = scalar(source.size);
  if (isA(size, "LognormalSize")) return { lognormal: parametersOf(size.lognormal, "sigma", ["mean", "median"]) };
  if (isA(size, "ParetoSize")) return { pareto: parametersOf(size.pareto, "shape", ["mean", "minimum", "maximum"]) };
  if (isA(size, "CdfSize")) throw new DependsOnInvalidField(); // this page reads no file
  return { fixed: size.bytes };
}

function parametersOf(table, number, sizes) {
  const written = sizes.filter((key) => table[key] !== null);
  return { [number]: scalar(table[number]), ...Object.fromEntries(written.map((key) => [key, scalar(table[key]).bytes])) };
}

/** The mean of sizes in bytes, a number; infinite where there is none. */
export function meanBytes(sizes, tables) {
  return JSON.parse(drawn("mean_bytes", sizes, tables)) ?? Infinity;
}

/** How many transfers of a source arrive in a second, in the mean: a number; null where a trace tells. */
export function arrivalsPerS(point, source, tables) {
  const { arrivals } = source;
  if (arrivals.rate !== null) return scalar(arrivals.rate).perS;
  const sizes = sizesOf(source);
  if (arrivals.load === null || sizes === null) return null;
  const mean = meanBytes(sizes, tables);
  const headers = tables.limits.TCP_IP_HEADER_BYTES;
  const segments = Math.ceil(mean / (Number(scalar(point.path.mtu)) - headers));
  const wire = mean + segments * (headers + tables.limits.ETHERNET_HEADER_BYTES);
  return (scalar(arrivals.load) * Number(scalar(point.path.rate).bps)) / (Number(BITS_PER_BYTE) * wire);
}

/** How long transfers of a source arrive after its start, without jitter; null: until there are no more. */
export function arrivingNs(point, group) {
  const start = scalar(group.start).ns;
  if (group.stop !== null) return scalar(group.stop).ns - start;
  return scalar(point.duration).untilDone ? null : endNs(point) - start;
}

/** The places of the groups that run: all, or the one that is alone; none where there is no such group. @returns {number[]} */
export function activeGroups(experiment) {
  const every = [...experiment.flows.keys()];
  if (experiment.alone === null) return every;
  const place = Number(scalar(experiment.alone).slice("flows[".length, -1));
  return every.slice(place, place + 1);
}

/** Begin and end of the summary's window. @returns {[bigint, bigint]} */
export function windowNs(experiment) {
  const end = endNs(experiment);
  if (experiment.measure.window === null) return [0n, end];
  const [first, last] = [...experiment.measure.window];
  return [first.ns(end), last.ns(end)];
}

/** What a full packet takes of a queue and of a line. */
export function frameBytes(path, tables) {
  return scalar(path.mtu) + BigInt(tables.limits.ETHERNET_HEADER_BYTES);
}

/** Rate times the path's own round-trip time, in queue bytes. @returns {Fraction} */
export function bdpBytes(path) {
  return new Fraction(scalar(path.rate).bps * scalar(path.rtt).ns, BITS_PER_BYTE * NS_PER_S);
}

/** The bound of the hosts' timing noise; a packet is a full one at the rate of the run's beginning. */
export function jitterNs(path, tables) {
  const jitter = scalar(path.jitter);
  if (jitter.unit !== "packet") return jitter.value;
  const bits = frameBytes(path, tables) * BITS_PER_BYTE * NS_PER_S;
  return jitter.number.times(bits).over(scalar(path.rate).bps).round();
}

/** The room of a queue that is written in bdp or as a time, before a line of this rate; null of others. @returns {Fraction | null} */
export function filledBytes(size, path, rate) {
  const fillsNs = size.fillsNs(scalar(path.rtt).ns);
  return fillsNs && fillsNs.times(rate.bps).over(BITS_PER_BYTE * NS_PER_S);
}

/**
 * The room of a queue before a line of this rate, counted as the path's queues count; in bdp or as a time it holds a frame at
 * least. @returns {{packets: bigint} | {bytes: bigint}}
 */
export function bufferLimit(size, path, rate, tables) {
  const counts = scalar(path.queue);
  const room = filledBytes(size, path, rate);
  const frame = frameBytes(path, tables);
  const larger = (one, other) => (one > other ? one : other);
  if (room) return counts === "packets" ? { packets: larger(1n, room.over(frame).floor()) } : { bytes: larger(frame, room.round()) };
  if (size.unit === "packets") return counts === "packets" ? { packets: size.value } : { bytes: size.value * frame };
  return { bytes: size.bytes };
}
