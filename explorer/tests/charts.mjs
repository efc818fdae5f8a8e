// What the page makes of the runs of some specs, with the compiled simulator: the other half of charts.py. A line of JSON each.

import { readFileSync } from "node:fs";

import { filled } from "../src/chart.js";
import { planned } from "../src/experiment.js";
import { fairSharesOf } from "../src/fair.js";
import { inTime } from "../src/lines.js";
import { estimate, summarise } from "../src/metrics.js";
import { answerTo, GIVEN } from "../src/simulator.js";
import { Specs } from "../src/spec.js";

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { instance } = await WebAssembly.instantiate(readFileSync(given.wasm), {});
const tables = { ...given.tables, spec: new Specs(instance) };

for (const text of given.texts) {
  const { problems, experiment } = tables.spec.check({ toml: text });
  if (problems.length) throw new Error(JSON.stringify(problems));
  const fair = Object.fromEntries(fairSharesOf(planned(experiment, tables)));
  const runs = [];
  for (const seed of experiment.seeds) runs.push(ofRun(planned(experiment, tables, { seed })));
  const shares = runs.map(({ summary }) => Object.values(summary.groups)[0].goodput_bps);
  process.stdout.write(`${JSON.stringify({ runs, fair, goodput: estimate(shares, tables.t) })}\n`);
}

function ofRun(plan) {
  const bytes = answerTo(instance, `{"measure":${plan.json}}`);
  if (bytes[0] !== GIVEN) throw new Error(new TextDecoder().decode(bytes));
  const measurement = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
  const summary = summarise(plan.run, measurement, plan.bdp_bytes, plan.names);
  const panels = inTime(given.skeletons, plan.run, measurement, plan.groups);
  return {
    lines: panels.map(({ layers }) => layers.map(({ label, style, instance, rows }) => ({
      label, style, instance, x: rows.map(({ x }) => x), y: rows.map(({ y }) => y),
    }))),
    chart: filled(given.skeletons, "in_time", panels, "a run"),
    summary: { ...summary, groups: Object.fromEntries(summary.groups) },
  };
}
