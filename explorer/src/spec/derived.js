// What follows from the words of a point. Twin of python/dumbbell/spec/derived.py; of sizes, the means of spec/sizes.py.
// All in base units: bigint where Python has integers, Fraction where it has fractions.

import { Fraction } from "./fraction.js";
import { DependsOnInvalidField, isA, scalar } from "./section.js";

const NS_PER_S = 10n ** 9n;
const BITS_PER_BYTE = 8n;
const PPB = 10n ** 9n;
const HALVINGS = 200;

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

/** The mean of a source's sizes in bytes, a number; null where none is written. */
export function meanBytes(experiment, source) {
  if (source.size === null) return null;
  const size = scalar(source.size);
  if (isA(size, "LognormalSize")) return lognormalMean(size.lognormal);
  if (isA(size, "ParetoSize")) return paretoMean(size.pareto);
  if (isA(size, "CdfSize")) throw new DependsOnInvalidField(); // this page reads no file
  return Number(size.bytes);
}

function lognormalMean(table) {
  const sigma = scalar(table.sigma);
  const median = table.median !== null ? sizeBytes(table.median) : sizeBytes(table.mean) * Math.exp(-(sigma ** 2) / 2);
  return median * Math.exp(sigma ** 2 / 2);
}

function paretoMean(table) {
  const shape = scalar(table.shape);
  const most = table.maximum === null ? Infinity : sizeBytes(table.maximum);
  if (table.minimum !== null) return paretoMeanFrom(sizeBytes(table.minimum), shape, most);
  return paretoMeanFrom(paretoMinimum(sizeBytes(table.mean), shape, most), shape, most);
}

function paretoMinimum(mean, shape, most) {
  if (most === Infinity) return (mean * (shape - 1)) / shape;
  let [low, high] = [Math.log(mean) - 100, Math.log(mean)];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (paretoMeanFrom(Math.exp(middle), shape, most) < mean) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}

function paretoMeanFrom(least, shape, most) {
  if (most === Infinity) return shape > 1 ? (least * shape) / (shape - 1) : Infinity;
  const ratio = most / least;
  const below = 1 - ratio ** -shape;
  if (shape === 1) return (least * Math.log(ratio)) / below;
  return (((least * shape) / (shape - 1)) * (1 - ratio ** (1 - shape))) / below;
}

function sizeBytes(size) {
  if (size === null) throw new DependsOnInvalidField();
  return Number(scalar(size).bytes);
}

/** How many transfers of a source arrive in a second, in the mean: a number; null where a trace tells. */
export function arrivalsPerS(point, source, tables) {
  const { arrivals } = source;
  if (arrivals.rate !== null) return scalar(arrivals.rate).perS;
  const mean = meanBytes(point, source);
  if (arrivals.load === null || mean === null) return null;
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

/** The room of a queue, counted as the path's queues count. @returns {{packets: bigint} | {bytes: bigint}} */
export function bufferLimit(size, path, tables) {
  const counts = scalar(path.queue);
  if (size.unit === "bdp") {
    const room = new Fraction(size.value, PPB).times(bdpBytes(path));
    return counts === "packets" ? { packets: room.over(frameBytes(path, tables)).floor() } : { bytes: room.round() };
  }
  if (size.unit === "packets") {
    return counts === "packets" ? { packets: size.value } : { bytes: size.value * frameBytes(path, tables) };
  }
  return { bytes: size.bytes };
}
