/** The queues of the bottleneck's discipline as strips, and how full they were together. */

import { firstAbove, NOBODY } from "./frames.js";

/** More queues than this are drawn as one more. */
const MOST_STRIPS = 5;
/** What the queues are called of a discipline that always has the same ones, by their numbers. */
const QUEUE_NAMES = { dualpi2: [[1, "L, low latency"], [0, "C, classic"]] };
/** Those whose queues are in a list of new ones and a list of old ones (RFC 8290 section 4.1). */
const LISTED = new Set(["fq_codel", "fq"]);
const LEAST_DOTS = 5;
/** Places of the history. */
const BINS = 400;
const EMPTY = { owners: [], came_s: [], left_s: [], marked_s: [], isLost: [], turns: [] };

/** Strips: `{name, numbers, queues, room_dots, isListed}`; `queues` as `framesOf` has them, by number; `room_dots` of one that stands for all. */
export function stripsOf(queues, kind, lanes, room_dots) {
  const of = (name, numbers) => ({ name, numbers, queues: numbers.map((number) => queues.get(number) ?? EMPTY), isListed: false });
  if (QUEUE_NAMES[kind]) return roomed(QUEUE_NAMES[kind].map(([number, name]) => of(name, [number])));
  if (!LISTED.has(kind)) return [{ ...of("", [...queues.keys()]), room_dots }];
  const size = (number) => queues.get(number).owners.length;
  const first = (number) => Math.min(...queues.get(number).owners.map((lane) => (lane === NOBODY ? Infinity : lane)));
  const largest = [...queues.keys()].sort((a, b) => size(b) - size(a));
  const [own, rest] = [largest.slice(0, MOST_STRIPS), largest.slice(MOST_STRIPS)];
  own.sort((a, b) => first(a) - first(b));
  const strips = own.map((number) => ({ ...of(ownersOf(queues.get(number), lanes), [number]), isListed: true }));
  if (rest.length) strips.push(of(`${rest.length} more queues`, rest));
  return strips.length ? roomed(strips) : [{ ...of("", [0]), room_dots }];
}

/** Whose frames a queue has: of two flows where both have one hash. */
function ownersOf({ owners }, lanes) {
  return [...new Set(owners)].sort((a, b) => a - b).map((lane) => lanes[lane]?.name ?? "ACKs").join(" and ");
}

/** With room for the fullest of them. */
function roomed(strips) {
  const room_dots = Math.max(LEAST_DOTS, ...strips.map(mostOf));
  return strips.map((strip) => ({ ...strip, room_dots }));
}

/** How many dots waited at once in all queues of a strip. */
function mostOf({ queues }) {
  const [came_s, left_s] = ["came_s", "left_s"].map((column) => queues.flatMap((queue) => queue[column]).sort((a, b) => a - b));
  return came_s.reduce((most, at_s, k) => Math.max(most, k + 1 - firstAbove(left_s, at_s)), 0);
}

/** In which of its discipline's lists a strip is at an instant; empty where nothing waits, or there are no lists. */
export function listOf({ isListed, queues: [queue] }, at_s) {
  if (!isListed || firstAbove(queue.came_s, at_s) === firstAbove(queue.left_s, at_s)) return "";
  return queue.turns[firstAbove(queue.turns, at_s, (turn) => turn.at_s) - 1]?.isNew ? "new" : "old";
}

/** Of equal parts of a stretch: `{most, dropped, marked}`, what waited at most, and how many frames were dropped and marked. */
export function historyOf({ backlog, losses, marks }, begin_s, end_s) {
  const bins = Array.from({ length: BINS }, () => ({ most: 0, dropped: 0, marked: 0 }));
  const binOf = (at_s) => bins[Math.max(0, Math.min(BINS - 1, Math.floor((BINS * (at_s - begin_s)) / (end_s - begin_s))))];
  let [last, waits] = [0, 0];
  backlog.at_s.forEach((at_s, i) => {
    const at = bins.indexOf(binOf(at_s), last);
    for (let bin = last; bin <= at; bin += 1) bins[bin].most = Math.max(bins[bin].most, waits);
    [last, waits] = [at, backlog.packets[i]];
    bins[at].most = Math.max(bins[at].most, waits);
  });
  for (let bin = last; bin < BINS; bin += 1) bins[bin].most = Math.max(bins[bin].most, waits);
  for (const { at_s } of losses) binOf(at_s).dropped += 1;
  for (const { at_s } of marks) binOf(at_s).marked += 1;
  return bins;
}
