/** What became of frames at the bottleneck's queue, out of the log that the simulator keeps of it: which wait where, when they
 * leave, which are dropped or marked. Whatever manages the queue: a discipline is its own queues, each first in, first out. */

import { NANOS_PER_S } from "./gauges.js";

/** Whose a dot is of which no lane is drawn. */
export const NOBODY = -1;
/** By the number that the log has of an event; what `crates/run/src/queue_log.rs` has. */
const [CAME, LEFT, REFUSED, DROPPED, MARKED] = [0, 1, 2, 3, 4];

/**
 * Queues by their number: `Map` of `{owners, came_s, left_s, marked_s, turns}`. A dot stands for so many packets of a lane, comes
 * and leaves as the first of them, and `left_s` is when it is over: it leaves, or is dropped where `isLost`; `marked_s` is when one
 * of them was marked, else infinite. `turns`: instants at which a queue is among those that have just begun, or no more,
 * `{at_s, isNew}`. `losses` and `marks`: each frame that was dropped or marked, `{at_s, queue, isRefused}`, in order of time.
 * `laneOf(flow)`: where a flow is drawn.
 */
export function framesOf(log, laneOf, packets) {
  const queues = new Map();
  const flows = new Map(); // of each flow and way what waits of it, in order
  const [losses, marks] = [[], []];
  log.at_ns.forEach((at_ns, i) => {
    const [event, count, flow] = [log.event[i], log.packets[i], 2 * log.flow[i] + Number(log.is_ack[i])];
    const at_s = at_ns / NANOS_PER_S;
    if (!flows.has(flow)) flows.set(flow, []);
    const own = flows.get(flow);
    if (event === REFUSED) losses.push({ at_s, queue: log.queue[i], isRefused: true });
    else if (event === CAME) {
      const queue = queueOf(queues, log.queue[i]);
      const lane = log.is_ack[i] ? NOBODY : laneOf(log.flow[i]);
      own.push({ seq: log.seq[i], number: log.queue[i], dot: dotOf(queue, lane, at_s, count, packets) });
    } else if (event === MARKED) {
      const frame = own.find(({ seq }) => seq === log.seq[i]);
      if (!frame) return;
      const { marked_s } = queues.get(frame.number);
      marked_s[frame.dot] = Math.min(marked_s[frame.dot], at_s);
      marks.push({ at_s, queue: frame.number, isRefused: false });
    } else {
      const at = own.findIndex(({ seq }) => seq === log.seq[i]);
      if (at < 0) return;
      const [frame] = own.splice(at, 1);
      const queue = queues.get(frame.number);
      if (queue.left_s[frame.dot] === Infinity) [queue.left_s[frame.dot], queue.isLost[frame.dot]] = [at_s, event === DROPPED];
      if (event === DROPPED) losses.push({ at_s, queue: frame.number, isRefused: false });
    }
    turn(queues.get(log.queue[i]), at_s, log.is_new[i]);
  });
  return { queues, losses, marks };
}

/** How many packets wait after each event: `{at_s, packets}`. */
export function backlogOf({ at_ns, event, packets }) {
  let waiting = 0;
  const waits = event.map((own, i) => {
    if (own === CAME) waiting += packets[i];
    else if (own === LEFT || own === DROPPED) waiting -= packets[i];
    return waiting;
  });
  return { at_s: at_ns.map((at) => at / NANOS_PER_S), packets: waits };
}

function queueOf(queues, number) {
  if (!queues.has(number)) queues.set(number, { owners: [], came_s: [], left_s: [], marked_s: [], isLost: [], turns: [], open: new Map() });
  return queues.get(number);
}

/** The dot that a frame is of: of each lane so many packets share one. */
function dotOf(queue, lane, at_s, count, packets) {
  const open = queue.open.get(lane);
  if (open && open.room >= count) {
    open.room -= count;
    return open.dot;
  }
  const dot = queue.owners.length;
  queue.owners.push(lane);
  queue.came_s.push(at_s);
  queue.left_s.push(Infinity);
  queue.marked_s.push(Infinity);
  queue.isLost.push(false);
  queue.open.set(lane, { dot, room: packets - count });
  return dot;
}

function turn(queue, at_s, isNew) {
  if (queue && queue.turns.at(-1)?.isNew !== isNew) queue.turns.push({ at_s, isNew });
}

/** The first of numbers in order that is above another one; `of`: what of each. */
export function firstAbove(numbers, bound, of = (number) => number) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(numbers[middle]) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
