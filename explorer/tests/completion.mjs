// What the page makes of the completion times of specs, a line of JSON a run: the other half of test_completion.py.

import { readFileSync } from "node:fs";

import { planned, understood } from "../src/experiment.js";
import { summarise } from "../src/metrics.js";
import { asked, drawer } from "../src/simulator.js";
import { prepared } from "../src/spec/tables.js";

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { instance } = await WebAssembly.instantiate(readFileSync(given.wasm), {});
const tables = { ...prepared(given.tables), draw: drawer(instance), identity: "" };
for (const text of given.texts) {
  const plan = planned(understood(text, tables).experiment, tables);
  const bytes = asked(instance, `{"measure":${plan.json}}`);
  const measurement = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
  const { flows } = summarise(plan.run, measurement, plan.bdp_bytes, plan.names);
  process.stdout.write(`${JSON.stringify(flows)}\n`);
}
