import assert from "node:assert/strict";
import { test } from "node:test";

import { Fraction } from "../../src/spec/fraction.js";
import { cases, double } from "./support.mjs";

const all = cases("fractions");

test("a fraction rounds, floors and becomes a double as Python's", () => {
  for (const each of all.filter(({ n }) => n !== undefined)) {
    const fraction = new Fraction(BigInt(each.n), BigInt(each.d));
    const told = { text: `${fraction}`, round: `${fraction.round()}`, floor: `${fraction.floor()}`, ceiling: `${fraction.ceiling()}` };
    assert.deepEqual(told, { text: each.text, round: each.round, floor: each.floor, ceiling: each.ceiling });
    assert.equal(fraction.toNumber(), double(each.float), `${fraction}`);
  }
});

test("decimal text and doubles are read exactly", () => {
  for (const { decimal, text } of all.filter((each) => each.decimal !== undefined)) {
    assert.equal(`${Fraction.of(decimal)}`, text);
  }
  for (const each of all.filter(({ double: value }) => value !== undefined)) {
    assert.equal(`${Fraction.of(double(each.double))}`, each.text);
  }
});

test("sums, products and quotients are in lowest terms", () => {
  const third = new Fraction(1n, 3n);
  assert.equal(`${third.plus(new Fraction(1n, 6n))}`, "1/2");
  assert.equal(`${third.minus(1n)}`, "-2/3");
  assert.equal(`${third.times(6n)}`, "2");
  assert.equal(`${third.over(new Fraction(-2n, 3n))}`, "-1/2");
  assert.ok(third.compare(0.3) > 0 && third.compare(new Fraction(2n, 6n)) === 0 && third.equals(third));
});

test("nothing is divided by nothing, and no text that is no number is read", () => {
  assert.throws(() => new Fraction(1n, 0n), RangeError);
  for (const text of ["", ".", "e5", "1 ", "0x1", "1_0"]) assert.throws(() => Fraction.of(text), RangeError, text);
  assert.throws(() => Fraction.of(Number.NaN), RangeError);
});

test("a fraction beyond the largest double is infinite", () => {
  assert.equal(Fraction.tenTo(400).toNumber(), Infinity);
  assert.equal(Fraction.tenTo(-400).toNumber(), 0);
});
