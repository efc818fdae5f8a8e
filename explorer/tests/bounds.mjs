// Where the page says that some experiments stand: the other half of test_bounds.py. A line of JSON each.

import { readFileSync } from "node:fs";

import { standing } from "../src/bounds.js";
import { planned, understood } from "../src/experiment.js";
import { drawer } from "../src/simulator.js";
import { prepared } from "../src/spec/tables.js";

const { tables: written, bounds, texts, wasm } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const defaults = Object.fromEntries(written.keys.map(({ path, default: usual }) => [path, usual]));
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {});
const tables = { ...prepared(written), defaults, identity: "", draw: drawer(instance) };
for (const text of texts) {
  const { problems, words, experiment } = understood(text, tables);
  if (problems.length) throw new Error(JSON.stringify(problems));
  process.stdout.write(`${JSON.stringify(standing(words, planned(experiment, tables), bounds, tables))}\n`);
}
