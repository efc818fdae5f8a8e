import assert from "node:assert/strict";
import { test } from "node:test";

import { setWishes } from "../../src/spec/problem.js";
import { magnitude, numberAndUnit, Quantity, QuantityError, quantityKinds } from "../../src/spec/quantity.js";
import { cases, decoded, tables } from "./support.mjs";

setWishes(tables);
const kinds = quantityKinds(tables);

function read(kind, value) {
  try {
    const found = kind.read(value);
    assert.ok(found instanceof Quantity && found instanceof kind);
    assert.equal(found.text, value);
    if (found.value === undefined) return { keyword: found.text };
    return { number: `${found.number}`, unit: found.unit, value: `${found.value}` };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return { message: error.message, hint: error.hint };
  }
}

test("quantities are read, or refused with the same words, as in Python", () => {
  for (const { value, read: expected } of cases("quantities")) {
    for (const [name, one] of Object.entries(expected)) {
      const found = read(kinds[name], decoded(value));
      if ("crash" in one) assert.ok(found.hint, `${name}: ${JSON.stringify(value)}`);
      else assert.deepEqual(found, one, `${name}: ${JSON.stringify(value)}`);
    }
  }
});

test("a value is shown as text that reads back as the same value", () => {
  for (const { value, shown } of cases("shown")) {
    for (const [name, text] of Object.entries(shown)) assert.equal(kinds[name].show(BigInt(value)), text, `${name}: ${value}`);
  }
  assert.equal(kinds.Time.read(kinds.Time.show(25_000_000)).ns, 25_000_000n);
});

test("a moment is a time, or a share of the duration rounded half to even", () => {
  for (const { text, duration, ns } of cases("moments")) assert.equal(`${kinds.Moment.read(text).ns(BigInt(duration))}`, ns, text);
});

test("texts have numbers by which they are put in order", () => {
  for (const { text, pair, magnitude: expected } of cases("order")) {
    assert.deepEqual(numberAndUnit(text), pair, text);
    assert.equal(magnitude(text, kinds), expected, text);
  }
});

test("a value has the name of its base unit", () => {
  assert.equal(kinds.Rate.read("80 Mbit/s").bps, 80_000_000n);
  assert.equal(kinds.Share.read("0.01 %").ppb, 100_000n);
  assert.equal(kinds.Size.read("125 kB").bytes, 125_000n);
  assert.equal(kinds.Frequency.read("0.5 /s").perS, 0.5);
  assert.equal(kinds.Duration.read("until done").untilDone, true);
  assert.equal(kinds.SocketMemory.read("max").keyword, "max");
  assert.equal(kinds.SocketMemory.read("16 MB").keyword, null);
  assert.equal(kinds.Jitter.read("none").ns, 0n);
  assert.ok(kinds.Size.read("1 kB") instanceof kinds.Bytes);
});

test("tables with a method that has no twin are refused", () => {
  const Rate = { ...tables.quantities.Rate, methods: [] };
  assert.throws(() => quantityKinds({ quantities: { Rate } }), /Rate has no methods in Python and spelling, unknown_unit here/);
  const Share = { ...tables.quantities.Share, methods: ["read"] };
  assert.throws(() => quantityKinds({ quantities: { Share } }), /Share has read in Python and none here/);
});
