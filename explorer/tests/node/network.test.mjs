// A second hop and a way back: switched on and off again, a spec is what it was.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, valueAt } from "../../src/edit.js";
import { hopNames, isThere, passesBottleneck, placed, withBack, withSecond } from "../../src/network.js";

const SHARED = ["rate", "buffer", "loss", "burst", "change"];
const meanings = Object.fromEntries([
  ...["path.rate", "path.rtt", "path.buffer", "path.queue", "path.loss", "path.burst", "path.jitter", "path.change", "path.back"],
  ...["hops[].name", "hops[].delay", ...SHARED.map((key) => `hops[].${key}`)],
].map((path) => [path, ""]));
const tables = { meanings };
const map = (object) => new Map(Object.entries(object));
const SPEC = map({
  duration: "9 s",
  zip: [["path.rate", "path.buffer"], ["path.rtt", "flows[0].cc"]],
  path: map({
    rate: ["8 Mbit/s", "9 Mbit/s"], rtt: "20 ms", buffer: ["1 bdp", "2 bdp"], loss: "1 %", burst: "9 kB", jitter: "none",
    change: [map({ at: "5 s", rate: "4 Mbit/s" })],
  }),
  flows: [map({ cc: "bbr" })],
});

test("a second hop takes what is of the first one with it and gives it back", () => {
  const two = withSecond(SPEC, true, tables);
  assert.deepEqual([...two.keys()], ["duration", "zip", "path", "hops", "flows"]);
  assert.deepEqual([...valueAt(two, "path").keys()], ["rtt", "jitter"]);
  assert.deepEqual([...valueAt(two, "hops[0]").keys()], ["name", "rate", "buffer", "loss", "burst", "change"]);
  assert.deepEqual(valueAt(two, "hops[1]"), map({ name: "second", rate: "8 Mbit/s", buffer: "1 bdp" }));
  assert.deepEqual(valueAt(two, "zip"), [["hops[0].rate", "hops[0].buffer"], ["path.rtt", "flows[0].cc"]]);
  const again = withSecond(two, false, tables);
  assert.deepEqual(again, SPEC);
  assert.deepEqual([...again.get("path").keys()], [...SPEC.get("path").keys()]);
});

test("what names a hop that is gone goes with it", () => {
  let two = withBack(withSecond(SPEC, true, tables), true);
  for (const [path, value] of [["flows[0].route", ["second"]], ["path.bottleneck", "second"], ["flows[1]", map({ cc: "reno", direction: "up", route: ["back", "first"] })]]) {
    two = changed(two, path, value);
  }
  assert.deepEqual(hopNames(two), { down: ["first", "second"], up: ["back"] });
  const one = withSecond(two, false, tables);
  assert.deepEqual([one.get("path").has("bottleneck"), valueAt(one, "flows[0].route"), valueAt(one, "flows[1].route")], [false, undefined, ["back"]]);
  assert.deepEqual(withBack(one, false), changed(SPEC, "flows[1]", map({ cc: "reno" })));
});

test("a hop that was there keeps its name and what it has", () => {
  const listed = changed(withSecond(SPEC, true, tables), "hops", [map({ name: "second", rate: "5 Mbit/s", buffer: "9 kB", delay: "1 ms" })]);
  const two = withSecond(listed, true, tables);
  assert.deepEqual([...valueAt(two, "hops[0]")], [...valueAt(listed, "hops[0]")]);
  assert.equal(valueAt(two, "hops[1].name"), "third");
});

test("a field stands where its queue is written", () => {
  const two = withSecond(SPEC, true, tables);
  assert.deepEqual(["path.rate", "path.rtt"].map((path) => placed(SPEC, path, tables)), ["path.rate", "path.rtt"]);
  assert.deepEqual(["path.rate", "path.rtt", "path.back.rate"].map((path) => placed(two, path, tables)), ["hops[0].rate", "path.rtt", "path.back.rate"]);
  const back = changed(two, "path.back", map({ hops: [map({ name: "up", rate: "1 Mbit/s", buffer: "9 kB" })] }));
  assert.equal(placed(back, "path.back.rate", tables), "path.back.hops[0].rate");
  assert.deepEqual([isThere(SPEC, "hops[1].rate"), isThere(two, "hops[1].rate"), isThere(two, "path.back.rate")], [false, true, false]);
});

test("a flow passes the bottleneck or not", () => {
  const path = { bottleneck: 1 };
  assert.deepEqual([{}, { route: { data: [0, 0] } }, { route: { data: [1, 2] } }, { direction: "up" }].map((flow) => passesBottleneck(flow, path)), [true, false, true, false]);
  assert.equal(passesBottleneck({}, {}), true);
});
