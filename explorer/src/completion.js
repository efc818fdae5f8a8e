/** Completion times, of a single transfer or of a source of many: twin of `metrics/completion.py`. A transfer that is not
 * complete has no time, but counts as the slowest: a percentile that falls on one is null, and so is every mean. */

import { BYTE_BITS, NANOS_PER_S } from "./gauges.js";
import { percentile } from "./percentile.js";

/** Of what has not been: JSON's reader rounds 2^64 - 1 up. */
const NEVER_NS = 2 ** 64;
/** What infinity is among values between which a percentile lies: infinite times nothing is no number. */
const HUGE = 1e300;
/** Of a frame, as `spec/frame.py` has them; the first one where the path says no other. */
const OVERHEAD_BYTES = 14;
const SEGMENT_HEADERS_BYTES = 52;
const PERCENTS = [50, 95, 99];

/** The completion times of a flow, with the names of its summary; `{}` of what has none. */
export function completion(path, requested, flow, window) {
  const { arrivals, transfer } = requested.workload;
  if (arrivals) return ofSource(path, requested, arrivals.arrivals, flow.transfers, window);
  if (flow.completed_ns === null) return { fct_s: null };
  const fct_s = (flow.completed_ns - flow.started_ns) / NANOS_PER_S;
  return transfer ? { fct_s, slowdown_mean: fct_s / emptyPathS(path, requested, transfer.bytes) } : { fct_s };
}

/** What a transfer would take at best: its frames at the rate of the run's beginning, and two round trips. */
function emptyPathS(path, { forward_delay_ns, return_delay_ns }, bytes) {
  const segments = Math.ceil(bytes / (path.mtu_bytes - SEGMENT_HEADERS_BYTES));
  const wire = bytes + segments * (SEGMENT_HEADERS_BYTES + (path.overhead_bytes ?? OVERHEAD_BYTES));
  return (BYTE_BITS * wire) / path.rate_bps + 2 * ((forward_delay_ns + return_delay_ns) / NANOS_PER_S);
}

function ofSource(path, requested, arrivals, transfers, window) {
  if (!transfers?.started_ns.length) return { fct_s: null, transfers: 0, transfers_completed: 0 };
  const counted = arrivals.flatMap(([, bytes], i) => {
    const begun = transfers.started_ns[i];
    if (begun < window.begin_ns || begun >= window.end_ns) return [];
    const ended = transfers.completed_ns[i];
    return [{ bytes, s: ended < NEVER_NS ? (ended - begun) / NANOS_PER_S : Infinity }];
  });
  const times = counted.map(({ s }) => s);
  const slowdowns = counted.map(({ bytes, s }) => s / emptyPathS(path, requested, bytes));
  const summary = {
    fct_s: meanOfComplete(times), transfers: times.length, transfers_completed: times.filter(Number.isFinite).length,
    slowdown_mean: meanOfComplete(slowdowns),
  };
  for (const percent of PERCENTS) {
    summary[`fct_p${percent}_s`] = percentileOfComplete(times, percent);
    summary[`slowdown_p${percent}`] = percentileOfComplete(slowdowns, percent);
  }
  return summary;
}

function meanOfComplete(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(mean) ? mean : null;
}

/** Of values of which some are infinite; null where it falls on such a one, or there is no value. */
function percentileOfComplete(values, percent) {
  if (!values.length) return null;
  const quantile = percentile(values.map((value) => Math.min(value, HUGE)), percent);
  return quantile < Math.sqrt(HUGE) ? quantile : null;
}

/** Over the transfers of a group: what its source has, or its flows with one transfer each ranked. */
export function percentileOfGroup(flows, own, each, percent) {
  if (flows[0].transfers !== undefined) return flows[0][own];
  if (flows.every((flow) => flow[each] === null)) return null;
  return percentileOfComplete(flows.map((flow) => flow[each] ?? Infinity), percent);
}
