/** Packets as marks that come to the queue, wait and leave. Nothing is traced: a queue is first in, first out, so that what comes
 * as the hundredth leaves as the hundredth, and what each flow has sent through the bottleneck is in its counters. */

import { counted, NANOS_PER_S, received } from "./gauges.js";

/** Whose a mark is when the run ends before it leaves. */
export const NOBODY = -1;

/**
 * Marks in their order, each of so many bytes: `{owner, came_s, left_s}`, a list each. `lanes`: the numbers of the flows that
 * are drawn as one.
 */
export function marksOf({ bottleneck, flows }, lanes, bytes) {
  const at_s = bottleneck.series.at_ns.map((at) => at / NANOS_PER_S);
  const each = flows.map((flow) => counted(received(flow), at_s));
  const ofLane = lanes.map((members) => at_s.map((_, i) => members.reduce((sum, flow) => sum + each[flow][i], 0)));
  const left = at_s.map((_, i) => ofLane.reduce((sum, own) => sum + own[i], 0));
  const came = left.map((total, i) => total + bottleneck.series.backlog_bytes[i]);
  const owner = ownersOf(ofLane, left, bytes);
  const left_s = instantsOf(left, at_s, bytes);
  const came_s = instantsOf(came, at_s, bytes);
  while (owner.length < came_s.length) owner.push(NOBODY);
  while (left_s.length < came_s.length) left_s.push(Infinity);
  return { owner, came_s, left_s };
}

/** Of each mark that leaves the lane whose bytes have waited longest for one. */
function ownersOf(ofLane, left, bytes) {
  const owner = [];
  const given = ofLane.map(() => 0);
  left.forEach((total, i) => {
    while ((owner.length + 1) * bytes <= total) {
      const credits = ofLane.map((own, lane) => own[i] - given[lane]);
      const lane = credits.indexOf(Math.max(...credits));
      given[lane] += bytes;
      owner.push(lane);
    }
  });
  return owner;
}

/** When a counter has grown by so many bytes, and by twice as many, and so on: on straight lines between its samples. */
function instantsOf(total, at_s, bytes) {
  const instants = [];
  for (let i = 0; i < total.length; i += 1) {
    while ((instants.length + 1) * bytes <= total[i]) {
      const wanted = (instants.length + 1) * bytes;
      const [before_s, before] = i ? [at_s[i - 1], Math.min(total[i - 1], wanted)] : [at_s[0], 0];
      const part = total[i] > before ? (wanted - before) / (total[i] - before) : 1;
      instants.push(before_s + part * (at_s[i] - before_s));
    }
  }
  return instants;
}

/** The first of numbers in order that is above another one. */
export function firstAbove(numbers, bound) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
