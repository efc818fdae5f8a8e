import assert from "node:assert/strict";
import { test } from "node:test";

import { closeMatches, insteadOf, Problem, quoted, setWishes, SpecError, suggestion } from "../../src/spec/problem.js";
import { cases, decoded, tables } from "./support.mjs";

setWishes(tables);
const all = cases("problems");

test("values are shown in messages as Python shows them, long ones cut at 60 code points", () => {
  for (const each of all.filter((one) => "quoted" in one)) assert.equal(quoted(decoded(each.quoted)), each.text);
});

test("the word that was probably meant is suggested, or what there is", () => {
  for (const each of all.filter((one) => "suggestion" in one)) {
    const [word, known] = each.suggestion;
    assert.equal(suggestion(decoded(word), known), each.text, JSON.stringify(each.suggestion));
  }
});

test("of what this version has not it is said what there is instead", () => {
  for (const each of all.filter((one) => "instead" in one)) assert.equal(insteadOf(each.instead), each.text, each.instead);
});

test("close matches are those of Python's difflib, in its order", () => {
  for (const { word, known, close, first } of cases("close")) {
    assert.deepEqual(closeMatches(word, known), close, word);
    assert.deepEqual(closeMatches(word, known, 1), first, word);
  }
});

test("a problem is told with its place and its hint, and an error tells all of them", () => {
  const problem = new Problem("flows[2].cc", 'unknown "bbrr"', 'did you mean "bbr"?');
  assert.equal(`${problem}`, 'flows[2].cc: unknown "bbrr"; did you mean "bbr"?');
  const error = new SpecError([problem, new Problem("", "missing")]);
  assert.equal(error.message, `${problem}\nmissing`);
  assert.equal(error.problems.length, 2);
});
