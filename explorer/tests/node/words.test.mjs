import assert from "node:assert/strict";
import { test } from "node:test";

import { setWishes } from "../../src/spec/problem.js";
import { commandFault, commandForm, placesIn, wordFault } from "../../src/spec/words.js";
import { cases, tables } from "./support.mjs";

setWishes(tables);

test("words of a command have the places and the faults that Python finds", () => {
  for (const { word, places, fault } of cases("words")) {
    assert.deepEqual(placesIn([word]), places, word);
    assert.deepEqual(wordFault(word, tables), fault, word);
  }
});

test("a command has words, and a list of commands is a sweep", () => {
  assert.equal(commandFault([]).message, "the list is empty");
  assert.equal(commandFault(["x"]), null);
  assert.deepEqual([["a"], [["a"]], [], "a"].map(commandForm), ["#one", "#sweep", "#one", "#one"]);
});
