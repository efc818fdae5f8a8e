// Outages as pairs of changes, and what a link's keys leave of an experiment's own.

import assert from "node:assert/strict";
import { test } from "node:test";

import { outagesOf, withOutage } from "../../src/outage.js";
import { Refused } from "../../src/pool.js";

const S = 1e9;
const LINE = { rate_bps: 12_500_000, changes: [{ at_ns: 8 * S, rate_bps: 4_000_000 }, { at_ns: 9 * S, delay_ns: 5 }] };
const seconds = (text) => Number.parseFloat(text);
const change = (at, rate) => new Map([["at", at], ["rate", rate]]);

test("behind an outage the line has the rate that it had", () => {
  const own = [change("8 s", "4 Mbit/s")];
  const early = withOutage(own, 2, 1, LINE, seconds);
  assert.deepEqual(early, [change("2 s", "0 bit/s"), change("3 s", "12.5 Mbit/s"), ...own]);
  assert.deepEqual(withOutage(own, 9.5, 0.2, LINE, seconds), [...own, change("9.5 s", "0 bit/s"), change("9.7 s", "4 Mbit/s")]);
  assert.deepEqual(withOutage([], 0, 1, LINE, seconds)[1], change("1 s", "12.5 Mbit/s"));
  assert.deepEqual(outagesOf(early), [{ at: "2 s", until: "3 s", places: [0, 1] }]);
  assert.deepEqual(outagesOf([change("1 s", "0 bit/s"), new Map([["at", "2 s"], ["rate", "1 Mbit/s"], ["over", "1 s"]])]), []);
});

test("a line that changes in that time, or is recorded, is not cut", () => {
  assert.throws(() => withOutage([], 7.5, 1, LINE, seconds), Refused);
  assert.throws(() => withOutage([], 1, 1, { rate_bps: 1, trace: "0,1,,\n" }, seconds), Refused);
});
