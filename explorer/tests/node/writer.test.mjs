import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "../../src/spec/toml.js";
import { toml } from "../../src/spec/writer.js";
import { cases, decoded, tables } from "./support.mjs";

test("words are written as Python writes them", () => {
  for (const { words, toml: expected } of cases("writer")) assert.equal(toml(decoded(words), tables), expected);
});

test("what is written reads back as the same words", () => {
  const text = 'name = "x"\n\n[path]\nrate = ["1 Mbit/s", "2 Mbit/s"]\n\n[[flows]]\ncc = "bbr"\nworkload = { transfer = "1 MB" }\n';
  assert.equal(toml(parse(text), tables), text);
});
