// Packets as marks: whose they are, when they come and when they leave.

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstAbove, marksOf, NOBODY } from "../../src/marks.js";

const BYTES = 1000;
/** Two flows: the second begins to send later, and the queue grows by a packet a second. */
const at_ns = [0, 1e9, 2e9, 3e9, 4e9];
const series = (bottleneck_bytes) => ({ started_ns: 0, series: { at_ns, bottleneck_bytes } });
const MEASUREMENT = {
  flows: [series([0, 2000, 4000, 5000, 6000]), series([0, 0, 0, 1000, 2000])],
  bottleneck: { series: { at_ns, backlog_bytes: [0, 1000, 2000, 3000, 4000] } },
};

test("as many marks leave and wait as there are packets", () => {
  const { owner, came_s, left_s } = marksOf(MEASUREMENT, [[0], [1]], BYTES);
  assert.equal(came_s.length, 12);
  for (const [at, waiting] of [[1, 1], [2, 2], [3, 3], [4, 4]]) {
    assert.equal(firstAbove(came_s, at) - firstAbove(left_s, at), waiting, `after ${at} s`);
  }
  assert.deepEqual(owner.slice(0, 4), [0, 0, 0, 0]);
  assert.deepEqual([...owner.slice(4, 8)].sort(), [0, 0, 1, 1]);
  assert.deepEqual(owner.slice(8), [NOBODY, NOBODY, NOBODY, NOBODY]);
});

test("none leaves before it has come, and all keep their order", () => {
  const { came_s, left_s } = marksOf(MEASUREMENT, [[0, 1]], BYTES);
  came_s.forEach((came, k) => assert.ok(came <= left_s[k], `mark ${k}`));
  for (const times of [came_s, left_s]) times.slice(1).forEach((time, k) => assert.ok(time >= times[k]));
});

test("flows that are drawn as one are one", () => {
  const { owner } = marksOf(MEASUREMENT, [[0, 1]], BYTES);
  assert.deepEqual(owner.slice(0, 8), Array(8).fill(0));
});
