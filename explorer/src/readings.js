/** What a sweep or a map can show of a run: how it is called, in which unit, and where it stands in a summary. */

import { percentileOfGroup } from "./completion.js";
import { meanOf, meanOfAll } from "./readout.js";

/** The name under which the link has what groups have not. */
export const OF_LINK = "link";
const eachGroup = (column) => (summary) => new Map([...summary.groups].map(([name, group]) => [name, group[column]]));
const eachFlow = (column, factor) => (summary) => new Map([...summary.groups.keys()].map((name) => {
  const mean = meanOf(summary.flows.filter((flow) => flow.name === name).map((flow) => flow[column]));
  return [name, mean === null ? null : factor * mean];
}));
const ofFlows = (of) => ({ flows, groups }) => new Map([...groups.keys()].map((name) => [name, of(flows.filter((flow) => flow.name === name))]));
const completionAt = (percent) => ofFlows((flows) => percentileOfGroup(flows, `fct_p${percent}_s`, "fct_s", percent));
const scaled = (find, factor) => (summary) => new Map([...find(summary)].map(([name, value]) => [name, value === null ? null : factor * value]));
const theLink = (column, factor) => ({ bottleneck }) => new Map([[OF_LINK, bottleneck[column] === null ? null : factor * bottleneck[column]]]);

/** By name: `{label, of, needsAll}`; `of` gives a value a group, or one of the link. `needsAll`: a run without one has not done
 * what the others did, and no mean is made of those. */
export const QUANTITIES_SHOWN = {
  share: { label: "share of the goodput (%)", of: scaled(eachGroup("share"), 100) },
  goodput: { label: "goodput (Mbit/s)", of: scaled(eachGroup("goodput_bps"), 1e-6) },
  rtt: { label: "mean RTT (ms)", of: eachFlow("rtt_mean_s", 1e3) },
  retransmits: { label: "retransmits (%)", of: eachFlow("retransmit_rate", 100) },
  fct: { label: "completion time (s)", of: ofFlows((flows) => meanOfAll(flows.map((flow) => flow.fct_s))), needsAll: true },
  fct_p50: { label: "completion time, median (s)", of: completionAt(50), needsAll: true },
  fct_p95: { label: "completion time, 95th percentile (s)", of: completionAt(95), needsAll: true },
  slowdown: {
    label: "mean slowdown", of: ofFlows((flows) => meanOfAll(flows.map((flow) => flow.slowdown_mean ?? null))), needsAll: true,
  },
  utilization: { label: "utilization (%)", of: theLink("utilization", 100) },
  loss: { label: "queue loss (%)", of: theLink("loss_rate", 100) },
  marks: { label: "queue marks (%)", of: theLink("mark_rate", 100) },
  sojourn: { label: "mean sojourn time (ms)", of: theLink("sojourn_mean_s", 1e3) },
  queue: { label: "mean queue (BDP)", of: theLink("queue_mean_bdp", 1) },
};

/** A quantity of a group in each of some summaries, as far as it is known; nothing where a mean would flatter. */
export function valuesOf({ of, needsAll }, summaries, group) {
  const known = summaries.map((summary) => of(summary).get(group) ?? null).filter((value) => value !== null);
  return needsAll && known.length < summaries.length ? [] : known;
}
