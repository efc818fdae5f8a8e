// What a line carries in time: the cases of tests/spec/test_run.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import { capacityBits, capacityInTime, ratesInTime } from "../../src/line.js";

const S = 1e9;
const MS = 1e6;
const WINDOW = { begin_ns: 5 * S, end_ns: 10 * S };
const FRAME_BITS = 8 * 1514;
const steps = (...rates) => ({ rate_bps: 10, changes: rates.map(([at_s, rate_bps]) => ({ at_ns: at_s * S, rate_bps })) });

test("capacity is each rate's for its time, in outages nothing", () => {
  const cases = [[[], 50], [[[7, 20]], 80], [[[2, 30]], 150], [[[2, 30], [6, 0], [9, 100]], 130], [[[10, 30]], 50], [[[1, 0]], 0]];
  for (const [rates, bits] of cases) {
    assert.equal(capacityBits(steps(...rates), WINDOW, 1500), bits);
    const trace = [[0, 10], ...rates].map(([at_s, rate_bps]) => `${at_s * S},${rate_bps},,\n`).join("");
    assert.equal(capacityBits({ rate_bps: 1, trace }, WINDOW, 1500), bits);
  }
});

test("changes of something else are none of the rate", () => {
  assert.deepEqual(ratesInTime({ rate_bps: 10, changes: [{ at_ns: 1, delay_ns: 5 }, { at_ns: 2, rate_bps: 0 }] }), [[2, 0]]);
  assert.equal(capacityBits({ rate_bps: 10, changes: [{ at_ns: 6 * S, loss_ppb: 5 }] }, WINDOW, 1500), 50);
});

test("each delivery is a frame, and after the last all come again", () => {
  const line = { rate_bps: 10, trace: "deliveries\n0\n1\n1\n4\n" };
  for (const [begin, end, frames] of [[0, 0.5, 0], [0, 1, 2], [0.5, 4, 4], [3, 4, 2], [4, 5, 2], [0, 4000, 4000], [1.5, 4001.5, 4000]]) {
    assert.equal(capacityBits(line, { begin_ns: begin * MS, end_ns: end * MS }, 1500), frames * FRAME_BITS);
  }
});

test("what it carries in time is a counter, and of a line that stays as it is nothing", () => {
  assert.equal(capacityInTime({ rate_bps: 10 }, 10 * S, 1500), null);
  assert.deepEqual(capacityInTime(steps([4, 0], [6, 20]), 12 * S, 1500), { time_s: [0, 4, 6, 12], total: [0, 5, 5, 20] });
  assert.deepEqual(capacityInTime(steps([0, 8], [15, 3]), 12 * S, 1500), { time_s: [0, 12], total: [0, 12] });
  const recorded = capacityInTime({ rate_bps: 10, trace: "deliveries\n0\n1\n1\n4\n" }, 5.5 * MS, 1500);
  assert.deepEqual(recorded.time_s.map((at_s) => Math.round(1e3 * at_s)), [0, 0, 1, 1, 4, 4, 5, 5]);
  assert.equal(recorded.total.at(-1), 7 * 1514);
});
