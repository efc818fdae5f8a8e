/** What a line's changes or its trace make of it in the course of time: a twin of `spec/line.py`. */

import { BYTE_BITS, NANOS_PER_S } from "./gauges.js";

const DELIVERIES = "deliveries\n";
const NANOS_PER_MS = 1e6;
const ETHERNET_HEADER_BYTES = 14;

/** Whether its trace has single packets, and no rates. */
export const isRecordedByPacket = ({ trace }) => trace?.startsWith(DELIVERIES) ?? false;

/** Its changes, or those of its trace: `{at_ns, rate_bps, delay_ns, loss_ppb}`, of which what stays is not there. */
export function changesInTime({ changes = [], trace }) {
  if (trace === undefined) return changes;
  if (isRecordedByPacket({ trace })) return [];
  return trace.trim().split("\n").map((row) => {
    const [at_ns, rate_bps, delay_ns, loss_ppb] = row.split(",").map((cell) => (cell === "" ? undefined : Number(cell)));
    return { at_ns, rate_bps, delay_ns, loss_ppb };
  });
}

/** When it has another rate, and which: `[at_ns, rate_bps]`. */
export const ratesInTime = (line) => changesInTime(line)
  .filter(({ rate_bps }) => rate_bps !== undefined && rate_bps !== null).map(({ at_ns, rate_bps }) => [Number(at_ns), Number(rate_bps)]);

/** What it can carry in a window, without the first instant and with the last; of deliveries full frames. */
export function capacityBits(line, { begin_ns, end_ns }, mtu_bytes) {
  if (isRecordedByPacket(line)) {
    const times = deliveriesOf(line);
    const frames = delivered(times, end_ns) - delivered(times, begin_ns);
    return Math.max(0, frames) * BYTE_BITS * (mtu_bytes + (line.overhead_bytes ?? ETHERNET_HEADER_BYTES));
  }
  let [bits, since_ns, rate_bps] = [0, begin_ns, Number(line.rate_bps)];
  for (const [at_ns, next_bps] of ratesInTime(line)) {
    const until_ns = Math.max(since_ns, Math.min(at_ns, end_ns));
    bits += rate_bps * (until_ns - since_ns);
    [since_ns, rate_bps] = [until_ns, next_bps];
  }
  return (bits + rate_bps * Math.max(0, end_ns - since_ns)) / NANOS_PER_S;
}

/** Instants from 0 to the end, and the bytes that it can carry up to each, on straight lines between them: a counter, as of
 * `gauges.js`; null of a line whose rate stays as it is. */
export function capacityInTime(line, end_ns, mtu_bytes) {
  const rates = ratesInTime(line);
  const at = [[0, 0]];
  if (isRecordedByPacket(line)) {
    const times = deliveriesOf(line);
    const bytes = mtu_bytes + (line.overhead_bytes ?? ETHERNET_HEADER_BYTES);
    for (let begin_ns = 0; begin_ns <= end_ns; begin_ns += times.at(-1)) {
      for (const each of times) if (begin_ns + each <= end_ns) at.push([begin_ns + each, at.length * bytes]);
    }
  } else if (rates.length) {
    let [since_ns, rate_bps] = [0, Number(line.rate_bps)];
    for (const [at_ns, next_bps] of [...rates, [Infinity, 0]]) {
      const until_ns = Math.min(at_ns, end_ns);
      if (until_ns > since_ns) at.push([until_ns, at.at(-1)[1] + (rate_bps * (until_ns - since_ns)) / NANOS_PER_S / BYTE_BITS]);
      [since_ns, rate_bps] = [at_ns, next_bps];
    }
  } else return null;
  return { time_s: at.map(([at_ns]) => at_ns / NANOS_PER_S), total: at.map(([, bytes]) => bytes) };
}

const deliveriesOf = ({ trace }) => trace.slice(DELIVERIES.length).trim().split("\n").map((row) => Number(row) * NANOS_PER_MS);

/** How many deliveries there were up to an instant, this included. */
function delivered(times, until_ns) {
  const period = times.at(-1);
  const repetitions = Math.floor(until_ns / period);
  const within = until_ns - repetitions * period;
  return repetitions * times.length + times.filter((at) => at <= within).length;
}
