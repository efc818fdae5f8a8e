import assert from "node:assert/strict";
import { test } from "node:test";

import * as number from "../../src/spec/number.js";
import { cases, decoded, double } from "./support.mjs";

test("doubles are written as Python writes them, halves to even", () => {
  for (const each of cases("numbers")) {
    const value = double(each.value);
    assert.equal(number.numberText(value), each.value);
    assert.deepEqual([6, 3, 1, 17].map((digits) => number.general(value, digits)), each.general, each.value);
    const fixed = [
      number.fixed(value, 0),
      number.fixed(value, 2),
      number.fixed(value, 0, { grouped: true }),
      number.fixed(value, 1, { signed: true }),
    ];
    assert.deepEqual(fixed, each.fixed, each.value);
  }
});

test("amounts have three significant digits, as in reports", () => {
  for (const each of cases("numbers")) {
    const value = double(each.value);
    const amounts = [
      number.amount(value),
      number.amount(value, 0.5),
      number.amount(value, null, 1e-6, " x", { signed: true }),
      number.percent(value),
      number.trimmed(value),
    ];
    assert.deepEqual(amounts, each.amount, each.value);
  }
  assert.equal(number.amount(null), "-");
});

test("integers are written with commas and counted", () => {
  for (const each of cases("integers")) {
    const value = BigInt(each.value);
    assert.equal(number.numberText(value), each.value);
    assert.equal(number.thousands(value), each.thousands);
    assert.equal(number.countedNoun(value, "run"), each.counted);
    assert.equal(number.general(value), each.general);
    assert.equal(number.fixed(value, 1, { grouped: true }), each.fixed);
  }
});

test("texts are quoted, stripped and counted by code points", () => {
  for (const each of cases("texts")) {
    assert.equal(number.reprText(each.text), each.repr);
    assert.equal(number.canonicalJson(each.text), each.json);
    assert.equal(number.stripped(each.text), each.strip, each.repr);
    assert.equal(number.isPrintable(each.text), each.printable, each.repr);
    assert.equal(number.lengthOf(each.text), each.length);
  }
});

test("a record is the same JSON, with its keys in the order of code points", () => {
  for (const { value, json } of cases("records")) assert.equal(number.canonicalJson(decoded(value)), json);
});
