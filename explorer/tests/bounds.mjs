// Where the page says that some experiments stand: the other half of test_bounds.py. A line of JSON each.

import { readFileSync } from "node:fs";

import { standing } from "../src/bounds.js";
import { planned } from "../src/experiment.js";
import { Specs } from "../src/spec.js";

const { tables: ofPython, bounds, texts, wasm } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {});
const tables = { ...ofPython, spec: new Specs(instance) };
for (const text of texts) {
  const { problems, fields, experiment } = tables.spec.check({ toml: text });
  if (problems.length) throw new Error(JSON.stringify(problems));
  process.stdout.write(`${JSON.stringify(standing(fields, planned(experiment, tables), bounds, tables))}\n`);
}
