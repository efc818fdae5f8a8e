// What the page makes of specs, runs, numbers and cells: the other half of test_alike.py. A list of JSON for each.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { amount } from "../src/amount.js";
import { cellText } from "../src/experiment.js";
import { answerTo } from "../src/simulator.js";
import { Specs } from "../src/spec.js";

const { specs, runs, numbers, cells, wasm } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {});
const answers = new Specs(instance);
const measured = (run) => createHash("sha256").update(answerTo(instance, `{"measure":${run}}`).subarray(1)).digest("hex");
process.stdout.write(JSON.stringify({ specs: specs.map(ofSpec), runs: runs.map(measured), numbers: numbers.map(amount), cells: cells.map(cellText) }));

function ofSpec({ toml, files }) {
  answers.files = files;
  const { problems, fields, experiment } = answers.check({ toml });
  const rows = problems.map(({ path, message, hint }) => [path, message, hint]);
  if (!experiment) return { problems: rows };
  const runs = experiment.seeds.slice(0, 2).map((seed) => {
    const { run, id } = answers.resolve(experiment, seed);
    return [run, id];
  });
  return { problems: rows, runs, toml: answers.toml(fields) };
}
