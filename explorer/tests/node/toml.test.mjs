import assert from "node:assert/strict";
import { test } from "node:test";

import { parse, TomlBeyondError, TomlError } from "../../src/spec/toml.js";
import { cases, decoded } from "./support.mjs";

const all = cases("toml");

function refused(text) {
  try {
    parse(text);
    return null;
  } catch (error) {
    return error;
  }
}

test("texts that are no TOML are refused with tomllib's words, at its places", () => {
  const broken = all.filter((each) => each.error !== undefined);
  assert.ok(broken.length >= 60);
  for (const { text, error } of broken) {
    const found = refused(text);
    assert.ok(found instanceof TomlError, text);
    assert.equal(found.message, error, JSON.stringify(text));
    assert.equal(`${found.reason} (at ${found.place})`, error);
  }
});

test("texts that are TOML have the same words", () => {
  for (const { text, words } of all.filter((each) => each.words !== undefined)) {
    assert.deepEqual(parse(text), decoded(words), JSON.stringify(text));
    assert.deepEqual(orders(parse(text)), orders(decoded(words)), JSON.stringify(text));
  }
});

test("numbers and nestings beyond all measure are refused without a place", () => {
  const beyond = all.filter((each) => each.beyond);
  assert.ok(beyond.length > 0);
  for (const { text } of beyond) assert.ok(refused(text) instanceof TomlBeyondError, text.slice(0, 40));
});

/** The keys of tables in order, which a comparison of Maps leaves out. */
function orders(value) {
  if (Array.isArray(value)) return value.map(orders);
  return value instanceof Map ? Array.from(value, ([key, each]) => [key, orders(each)]) : null;
}
