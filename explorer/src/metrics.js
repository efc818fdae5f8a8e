/** What a measurement comes to in its window: twins of `metrics/summary.py` and what it takes from its neighbours, as far
 * as the page shows it. `null` is what Python has as None. */

import { completion } from "./completion.js";
import { BYTE_BITS, NANOS_PER_S } from "./gauges.js";
import { capacityBits } from "./line.js";
import { linesOfRun, passesBottleneck } from "./network.js";
import { percentile } from "./percentile.js";

/** `part / denominator`; null where that is 0. */
export const ratio = (part, denominator) => (denominator ? part / denominator : null);

/** The summary of a run: `{window_s, flows, groups, bottleneck, hops, jain}`; `hops` is every queue, where there are several.
 * `names`: each flow's group. */
export function summarise(run, measurement, bdp_bytes, names) {
  const window = windowOf(run.measure, measurement.ended_ns);
  const flows = measurement.flows.map((flow, index) => (
    { ...ofFlow(flow, window, names[index]), ...completion(run.path, run.flows[index], flow, window) }
  ));
  const rates = flows.filter((_, flow) => passesBottleneck(run.flows[flow], run.path)).map((flow) => flow.goodput_bps).filter((rate) => rate !== null);
  return {
    window_s: [window.begin_ns / NANOS_PER_S, window.end_ns / NANOS_PER_S],
    flows,
    groups: ofGroups(run, measurement, window, names),
    bottleneck: ofBottleneck(run, measurement.bottleneck, window, bdp_bytes),
    hops: measurement.hops?.length ? ofHops(run, measurement.hops, window) : undefined,
    jain: jain(rates),
  };
}

/** Jain's index: 1 when all are equal; null when there is nothing. */
export function jain(rates) {
  const sum = total(rates);
  return ratio(sum ** 2, rates.length * total(rates.map((rate) => rate * rate)));
}

function windowOf(measure, ended_ns) {
  const [begin_ns, end_ns] = [Number(measure.window_begin_ns), Number(measure.window_end_ns)];
  return { begin_ns: Math.min(begin_ns, ended_ns), end_ns: Math.min(end_ns, ended_ns) };
}

const seconds = ({ begin_ns, end_ns }) => Math.max(0, end_ns - begin_ns) / NANOS_PER_S;
const holds = ({ begin_ns, end_ns }, at_ns) => at_ns > begin_ns && at_ns <= end_ns;
const total = (values) => values.reduce((sum, value) => sum + value, 0);

/** By how much a counter grew in a window; nothing in an empty one. */
const growth = (window, before, after, name) => (seconds(window) ? after[name] - before[name] : 0);

/** When a flow was over: its last byte delivered, or stopped, or the run at its end. */
const endedNs = (flow) => (flow.completed_ns === null ? flow.at_end.at_ns : Math.min(flow.completed_ns, flow.at_end.at_ns));

function ofFlow(flow, window, name) {
  const until_ns = endedNs(flow);
  const own = { begin_ns: Math.max(window.begin_ns, flow.started_ns), end_ns: Math.min(window.end_ns, until_ns) };
  const after = window.end_ns <= until_ns ? flow.at_window_end : flow.at_end;
  const grown = (counter) => growth(own, flow.at_window_begin, after, counter);
  const { series } = flow;
  const srtt_us = series.srtt_us.filter((value, i) => value > 0 && holds(own, series.at_ns[i]));
  const sent = grown("segments_sent");
  return {
    name,
    start_s: flow.started_ns / NANOS_PER_S,
    goodput_bps: ratio(BYTE_BITS * grown("delivered_bytes"), seconds(own)),
    throughput_bps: ratio(BYTE_BITS * grown("bottleneck_bytes"), seconds(own)),
    segments_sent: sent,
    retransmits: grown("segments_retransmitted"),
    retransmit_rate: ratio(grown("segments_retransmitted"), sent),
    rtt_mean_s: srtt_us.length ? total(srtt_us) / srtt_us.length / 1e6 : null,
    rtt_p50_s: srtt_us.length ? percentile(srtt_us, 50) / 1e6 : null,
    rtt_p95_s: srtt_us.length ? percentile(srtt_us, 95) / 1e6 : null,
    rtt_min_s: flow.rtt_min_ns === null ? null : flow.rtt_min_ns / NANOS_PER_S,
  };
}

/** A share is one of those whose data goes the same way. */
function ofGroups(run, measurement, window, names) {
  const [delivered, ways, all] = [new Map(), new Map(), new Map()];
  measurement.flows.forEach((flow, i) => {
    const grown = growth(window, flow.at_window_begin, flow.at_window_end, "delivered_bytes");
    const { direction = "down" } = run.flows[i];
    delivered.set(names[i], (delivered.get(names[i]) ?? 0) + grown);
    ways.set(names[i], direction);
    all.set(direction, (all.get(direction) ?? 0) + grown);
  });
  return new Map([...delivered].map(([name, bytes]) => [
    name, { goodput_bps: ratio(BYTE_BITS * bytes, seconds(window)), share: ratio(bytes, all.get(ways.get(name))) },
  ]));
}

function ofBottleneck(run, queue, window, bdp_bytes) {
  const own = ofQueue(run.path, queue, window, run.path.mtu_bytes);
  return { ...own, queue_mean_bdp: own.queue_mean_bytes === null ? null : ratio(own.queue_mean_bytes, bdp_bytes) };
}

function ofHops(run, hops, window) {
  return linesOfRun(run).map(({ line, direction }, at) => ({ name: hops[at].name, direction, ...ofQueue(line, hops[at].queue, window, run.path.mtu_bytes) }));
}

function ofQueue(line, queue, window, mtu_bytes) {
  // JSON has no count of marks where there are none.
  const grown = (counter) => growth(window, { [counter]: 0, ...queue.at_window_begin }, { [counter]: 0, ...queue.at_window_end }, counter);
  const { series } = queue;
  const standing = series.backlog_bytes.filter((_, i) => holds(window, series.at_ns[i]));
  const mean = standing.length ? total(standing) / standing.length : null;
  return {
    utilization: ratio(BYTE_BITS * grown("sent_bytes"), capacityBits(line, window, mtu_bytes)),
    offered_packets: grown("offered_packets"),
    sent_packets: grown("sent_packets"),
    dropped_packets: grown("dropped_packets"),
    marked_packets: grown("marked_packets"),
    mark_rate: ratio(grown("marked_packets"), grown("sent_packets")),
    ...sojourn(queue.sojourn),
    random_lost_packets: grown("random_lost_packets"),
    loss_rate: ratio(grown("dropped_packets"), grown("offered_packets")),
    queue_mean_bytes: mean,
    queue_p95_bytes: standing.length ? percentile(standing, 95) : null,
    queue_max_bytes: standing.length ? standing.reduce((most, value) => Math.max(most, value), 0) : null,
  };
}

/** How long frames were in a queue that something manages; null where it is not known. */
function sojourn(histogram) {
  const isKnown = histogram?.count > 0;
  return { sojourn_mean_s: isKnown ? histogram.sum / histogram.count / NANOS_PER_S : null };
}

/** A mean with the half-width of its 95 % interval, by Student's t: `quantiles[n - 1]` is that of n degrees of freedom.
 * The half-width is null where nothing varied. */
export function estimate(values, quantiles) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (values.length < 2 || least === most) return { mean: least, half_width: null, n: 1 };
  const mean = total(values) / values.length;
  const squares = total(values.map((value) => (value - mean) ** 2));
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  return { mean, half_width: quantiles[Math.min(values.length - 1, quantiles.length) - 1] * error, n: values.length };
}
