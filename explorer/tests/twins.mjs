// What the page's modules make of specs, a line of JSON each: the other half of twins.py.

import { readFileSync } from "node:fs";

import { drawer } from "../src/simulator.js";
import { resolve } from "../src/spec/resolve.js";
import { runId, runJson } from "../src/spec/runid.js";
import { check, points, seedValues } from "../src/spec/check.js";
import { prepared } from "../src/spec/tables.js";

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { instance } = await WebAssembly.instantiate(readFileSync(given.wasm), {});
const tables = { ...prepared(given.tables), draw: drawer(instance) };
const lines = given.texts.map((text) => JSON.stringify(ofPage(text)));
process.stdout.write(`${lines.join("\n")}\n`);

function ofPage(text) {
  try {
    const { problems, cannot, experiment } = check(text, tables);
    const unread = cannot.filter(({ message }) => message.includes("files")).map(({ path }) => path);
    const told = problems.map(({ path, message, hint }) => [path, message, hint]);
    if (told.length) return { problems: told, unread };
    return { problems: told, unread, points: unread.length ? null : ofExperiment(experiment) };
  } catch (error) {
    return { broken: error.stack };
  }
}

function ofExperiment(experiment) {
  const seeds = seedValues(experiment);
  const some = seeds.slice(0, given.seeds);
  const found = [`${seeds.length}`, some.map(String)];
  for (const point of points(experiment)) {
    if (found.length === given.points + 2) break;
    const texts = [...point.values].filter(([, value]) => typeof value === "string");
    found.push([Object.fromEntries(texts), some.map((seed) => ofRun(point, seed))]);
  }
  return found;
}

function ofRun(point, seed) {
  const resolved = resolve(point, seed, tables);
  return [runJson(resolved.run), runId(resolved, "sim", given.identity)];
}
