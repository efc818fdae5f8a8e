// What becomes of frames in queues: whose they are, when they come, leave, are dropped or marked.

import assert from "node:assert/strict";
import { test } from "node:test";

import { backlogOf, firstAbove, framesOf, NOBODY } from "../../src/frames.js";
import { historyOf, listOf, stripsOf } from "../../src/queues.js";

const EVENTS = ["came", "left", "refused", "dropped", "marked"];

/** A log of rows `[at_s, event, flow, seq, queue, more]`. */
function logOf(rows) {
  const columns = { at_ns: [], event: [], flow: [], seq: [], is_ack: [], packets: [], queue: [], is_new: [] };
  for (const [at_s, event, flow, seq, queue = 0, { is_ack = false, packets = 1, is_new = false } = {}] of rows) {
    const row = { at_ns: at_s * 1e9, event: EVENTS.indexOf(event), flow, seq, is_ack, packets, queue, is_new };
    for (const [name, value] of Object.entries(row)) columns[name].push(value);
  }
  return columns;
}

const same = (flow) => flow;

test("a frame that comes leaves, is dropped or is marked as itself", () => {
  const log = logOf([
    [1, "came", 0, 1], [2, "came", 1, 1], [3, "came", 0, 2], [4, "marked", 0, 2], [5, "dropped", 1, 1], [6, "left", 0, 1], [7, "left", 0, 2],
    [8, "refused", 1, 2],
  ]);
  const { queues, losses, marks } = framesOf(log, same, 1);
  const { owners, came_s, left_s, marked_s, isLost } = queues.get(0);
  assert.deepEqual([owners, came_s, left_s], [[0, 1, 0], [1, 2, 3], [6, 5, 7]]);
  assert.deepEqual([isLost, marked_s], [[false, true, false], [Infinity, Infinity, 4]]);
  assert.deepEqual(losses.map(({ at_s, isRefused }) => [at_s, isRefused]), [[5, false], [8, true]]);
  assert.deepEqual(marks.map(({ at_s }) => at_s), [4]);
  assert.deepEqual(backlogOf(log).packets, [1, 2, 3, 3, 2, 1, 0, 0]);
});

test("a frame that was sent again is another one, and ACKs are nobody's", () => {
  const ack = { is_ack: true };
  const log = logOf([[1, "came", 0, 7], [2, "came", 0, 7, 0, ack], [3, "left", 0, 7, 0, ack], [4, "left", 0, 7], [5, "left", 3, 9]]);
  const { owners, left_s } = framesOf(log, same, 1).queues.get(0);
  assert.deepEqual([owners, left_s], [[0, NOBODY], [4, 3]]);
});

test("so many packets of a lane share a dot", () => {
  const rows = Array.from({ length: 12 }, (_, at) => [at, "came", at % 2, at]);
  const { owners } = framesOf(logOf(rows), same, 3).queues.get(0);
  assert.deepEqual(owners, [0, 1, 0, 1]);
  assert.equal(framesOf(logOf([[1, "came", 0, 1, 0, { packets: 9 }]]), same, 3).queues.get(0).owners.length, 1);
});

const LANES = [{ name: "bbr" }, { name: "cubic" }];

test("each queue of a discipline is a strip, and what has one queue has one", () => {
  const log = logOf([[1, "came", 1, 1, 40, { is_new: true }], [2, "came", 0, 1, 7], [3, "left", 1, 1, 40]]);
  const { queues } = framesOf(log, same, 1);
  const strips = stripsOf(queues, "fq_codel", LANES, 60);
  assert.deepEqual(strips.map(({ name, numbers }) => [name, numbers]), [["bbr", [7]], ["cubic", [40]]]);
  assert.deepEqual([1.5, 2.5, 3.5].map((at_s) => strips.map((strip) => listOf(strip, at_s))), [["", "new"], ["old", "new"], ["old", ""]]);
  assert.deepEqual(stripsOf(queues, "codel", LANES, 60).map(({ name, numbers }) => [name, numbers]), [["", [40, 7]]]);
  assert.deepEqual(stripsOf(new Map(), "dualpi2", LANES, 60).map(({ name }) => name), ["L, low latency", "C, classic"]);
  assert.equal(stripsOf(new Map(), "fq", LANES, 60).length, 1);
  assert.equal(listOf(stripsOf(queues, "codel", LANES, 60)[0], 1.5), "");
});

test("more queues than are drawn by themselves are one", () => {
  const rows = Array.from({ length: 9 }, (_, flow) => [flow, "came", 0, flow, flow]);
  const strips = stripsOf(framesOf(logOf(rows), same, 1).queues, "fq_codel", LANES, 60);
  assert.deepEqual([strips.length, strips.at(-1).name, strips.at(-1).numbers.length], [6, "4 more queues", 4]);
  assert.equal(strips[0].room_dots, 5, "as many as are there at the least");
  const passing = rows.flatMap(([at, event, flow, seq, queue]) => [[at, event, flow, seq, queue], [at + 0.5, "left", flow, seq, queue]]);
  const more = Array.from({ length: 9 }, (_, seq) => [10, "came", 0, 20 + seq, 8]);
  assert.equal(stripsOf(framesOf(logOf([...passing, ...more]), same, 1).queues, "fq_codel", LANES, 60)[0].room_dots, 9, "and at once");
});

test("the history has what waited at most and what was dropped and marked", () => {
  const log = logOf([[0, "came", 0, 1], [1, "came", 0, 2], [1, "left", 0, 1], [2, "marked", 0, 2], [3, "refused", 0, 3]]);
  const { losses, marks } = framesOf(log, same, 1);
  const bins = historyOf({ backlog: backlogOf(log), losses, marks }, 0, 4);
  const [quarter] = [bins.length / 4];
  assert.deepEqual([bins[quarter].most, bins[quarter + 1].most, bins.at(-1).most], [2, 1, 1]);
  assert.deepEqual([bins[2 * quarter].marked, bins[3 * quarter].dropped], [1, 1]);
});

test("the first of numbers above another", () => {
  assert.deepEqual([0, 1, 5].map((bound) => firstAbove([1, 2, 5], bound)), [0, 1, 3]);
});
