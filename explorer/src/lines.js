/** The layers of a run in time: a twin of `experiment/charts/time.py`, for one run. */

import { capacityInTime } from "./line.js";
import { baseName } from "./spec.js";
import { backlog, meanGauge, middles, NANOS_PER_S, phases, rates, received } from "./gauges.js";

const [KB, MBPS, MS] = [1e-3, 1e-6, 1e3];
/** Panels after the throughput, in the order of the skeleton: a column, and what it is multiplied by. */
const GAUGES = [["cwnd_bytes", KB], ["inflight_bytes", KB], ["srtt_s", MS]];

/** When a run ended, seconds. */
export function endOf(run, measurement) {
  const { at_ns } = measurement.bottleneck.series;
  return Math.min(Number(run.duration_ns), ...at_ns.slice(-1)) / NANOS_PER_S;
}

function binOf(end_s, sample_s, bins) {
  const least_s = Math.max(2 * sample_s, end_s / bins.most, Math.min(bins.usual_s, end_s / bins.fewest));
  return bins.sizes_s.find((bin_s) => bin_s >= least_s) ?? least_s;
}

/** Rows of a layer from samples. */
const rowsOf = ({ time_s, value }, factor) => time_s.map((x, i) => ({ x, y: factor * value[i] }));

/** A group with the name and version of its algorithm: a twin of `experiment/charts/layout.py`. */
function called(group, cc, labels) {
  const label = (labels[baseName(cc)] ?? baseName(cc)) + (cc.includes("[") ? cc.slice(cc.indexOf("[")) : "");
  return group === cc || group === label ? label : `${group} (${label})`;
}

/**
 * Panels of a run for `filled`: throughput, cwnd, inflight, RTT and queue. `groups`: `[{name, cc, flows: [numbers]}]`.
 */
export function inTime(skeletons, run, measurement, groups) {
  const { bins, labels } = skeletons;
  const end_s = endOf(run, measurement);
  const sample_s = Number(run.measure.sample_ns) / NANOS_PER_S;
  const bin_s = binOf(end_s, sample_s, bins);
  const mss = run.path.mtu_bytes - 52;
  const byFlow = measurement.flows.length <= bins.flows;
  const looks = (byFlow ? ofFlows() : ofGroups()).map(({ members, ...look }) => (
    { look: { ...look, kind: "line" }, flows: members.map((flow) => measurement.flows[flow]) }));
  const at = middles(0, end_s, bin_s);
  const throughput = looks.map(({ look, flows }) => {
    const each = flows.map((flow) => rates(received(flow), 0, end_s, bin_s));
    const value = at.map((_, bin) => each.reduce((sum, own) => sum + own[bin], 0));
    const first = byFlow ? Math.max(0, value.findIndex((rate) => rate > 0)) : 0;
    return { ...look, rows: rowsOf({ time_s: at.slice(first), value: value.slice(first) }, MBPS) };
  });
  const carried = capacityInTime(run.path, end_s * NANOS_PER_S, run.path.mtu_bytes);
  if (carried) {
    const rows = rowsOf({ time_s: at, value: rates(carried, 0, end_s, bin_s) }, MBPS);
    throughput.push({ label: "capacity of the line", style: "link", instance: 0, kind: "line", rows });
  }
  const wide_s = Math.max(sample_s, end_s / bins.gauge);
  const gauges = GAUGES.map(([column, factor]) => looks.map(({ look, flows }) => (
    { ...look, rows: rowsOf(meanGauge(flows, column, mss, end_s, wide_s), factor) })));
  const queues = queuesOf(measurement).map(({ name, queue }, instance) => (
    { label: name ? `queue; ${name}` : "queue", style: "link", instance, kind: "line", rows: rowsOf(backlog(queue), KB) }));
  return [throughput, ...gauges, queues].map((layers) => ({ layers, x: { domain: [0, end_s] } }));

  function ofFlows() {
    const owners = groups.flatMap(({ name, cc, flows }) => flows.map((flow) => ({
      label: called(flows.length === 1 ? name : `${name} ${flow}`, cc, labels), style: baseName(cc), instance: flow, members: [flow],
    })));
    return owners.sort((a, b) => a.instance - b.instance);
  }

  function ofGroups() {
    return groups.map(({ name, cc, flows }, instance) => ({
      label: `${flows.length > 1 ? `${flows.length} flows of ` : ""}${called(name, cc, labels)}`,
      style: baseName(cc), instance, members: flows,
    }));
  }
}

/** Every queue of a measurement, `{name, queue}`; the only one has no name. */
export const queuesOf = ({ hops, bottleneck }) => (hops?.length ? hops : [{ name: "", queue: bottleneck }]);

/** Each flow's phases, of those whose algorithm has any, for the strip below the throughput. */
export function phasesOf(measurement) {
  return measurement.flows.map((flow, number) => ({ flow: number, stays: flow.phases.length ? phases(flow) : [] }));
}
