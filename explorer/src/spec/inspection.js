// Everything that is wrong with an experiment, told once: its lists, its algorithms, its files, and its points.
// Twin of python/dumbbell/spec/inspection.py.

import { choose } from "./cc.js";
import { Problem, SpecError, quoted } from "./problem.js";
import { pointProblems, runRules } from "./rules.js";
import { DependsOnInvalidField, StillHasLists, UNKNOWN, dotted, isA } from "./section.js";
import { Grid, sweepProblems, unknownFields, zipProblems } from "./sweep.js";

/** Everything wrong with an experiment whose single fields are right, or unknown. @returns {Generator<Problem>} */
export function* experimentProblems(experiment, tables) {
  yield* runRules(
    () => seedProblems(experiment),
    () => ccProblems(experiment, tables),
  );
  const zipErrors = [...runRules(() => zipProblems(experiment))];
  yield* zipErrors;
  try {
    const unknown = !unknownFields(experiment).next().done;
    const grid = Grid.of(experiment, { zipped: !zipErrors.length && !unknown });
    const lists = zipErrors.length ? [] : [...runRules(() => sweepProblems(grid, tables))];
    yield* lists;
    yield* sampledProblems(grid, zipErrors.length || unknown || lists.length ? 1n : grid.length, tables);
  } catch (error) {
    if (!(error instanceof DependsOnInvalidField || error instanceof StillHasLists)) throw error;
  }
}

/** Every file that a spec names: the field's path, and its name as written. @returns {Generator<[string, string]>} */
export function* filesOf(experiment) {
  if (experiment.flows === UNKNOWN) return;
  for (const [index, group] of experiment.flows.entries()) {
    for (const [here, workload] of eachOf(group.workload, ["flows", index, "workload"])) {
      try {
        yield* filesOfWorkload(workload, here);
      } catch (error) {
        if (!(error instanceof DependsOnInvalidField)) throw error;
        break;
      }
    }
  }
}

function* filesOfWorkload(workload, here) {
  if (isA(workload, "Trace")) yield* namedFiles(workload.trace, [...here, "trace"]);
  if (!isA(workload, "ShortFlows")) return;
  if (workload.arrivals.trace !== null) yield* namedFiles(workload.arrivals.trace, [...here, "arrivals", "trace"]);
  if (workload.size === null) return;
  for (const [place, size] of eachOf(workload.size, [...here, "size"])) {
    if (isA(size, "CdfSize")) yield* namedFiles(size.cdf, [...place, "cdf"]);
  }
}

function* namedFiles(names, location) {
  for (const [place, name] of eachOf(names, location)) if (typeof name === "string") yield [dotted(place), name];
}

/** A field's only value, or each of its list, with its location. */
function* eachOf(value, location) {
  if (!Array.isArray(value)) yield [location, value];
  else for (const [index, item] of value.entries()) yield [[...location, index], item];
}

/** Ask about the points: all, or of a large sweep so many that every value of every list is among them often. */
function* sampledProblems(grid, all, tables) {
  const { limits } = tables;
  const worth = Math.max(limits.FEWEST_POINTS, Math.floor(limits.GROUPS_WORTH / Math.max(1, grid.experiment.flows.length)));
  const { length } = grid;
  const points = all < BigInt(worth) ? all : BigInt(worth);
  const stride = points === length ? 1n : coprime(length, limits.STRIDE);
  const found = new Map();
  for (let step = 0n; step < points; step += 1n) {
    const point = grid.point((step * stride) % length);
    const nth = new Map();
    for (const problem of pointProblems(point.experiment, tables)) {
      const place = nth.get(problem.path) ?? 0;
      nth.set(problem.path, place + 1);
      const key = `${place} ${problem.path}`;
      if (!found.has(key)) found.set(key, { problem, values: point.values, times: 0n });
      found.get(key).times += 1n;
    }
  }
  for (const { problem, values, times } of found.values()) {
    yield times === points ? problem : locatedProblem(problem, values, limits.MOST_TOLD);
  }
}

/** A stride that visits every value of every list of a grid of so many points. */
function coprime(number, least) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  let stride = BigInt(least);
  while (divisor(stride, number) > 1n) stride += 1n;
  return stride;
}

/** Add at which point a problem was met first, when not every point has it. */
function locatedProblem(problem, values, most) {
  const told = [...values].map(([path, value]) => `${path} = ${quoted(value)}`);
  const more = told.length > most ? ", …" : "";
  return new Problem(problem.path, `${problem.message} (at ${told.slice(0, most).join(", ")}${more})`, problem.hint);
}

function* seedProblems({ seeds }) {
  if (!Array.isArray(seeds)) return;
  const counts = new Map();
  for (const seed of seeds) counts.set(seed, (counts.get(seed) ?? 0) + 1);
  for (const [seed, times] of counts) {
    if (times > 1) yield new Problem("seeds", `${seed} is listed ${times} times`, "list each seed once");
  }
}

function* ccProblems(experiment, tables) {
  for (const [index, group] of [...experiment.flows].entries()) {
    yield* runRules(() => oneCc(group, ["flows", index, "cc"], tables));
  }
}

function* oneCc(group, location, tables) {
  for (const [here, name] of eachOf(group.cc, location)) {
    if (name === UNKNOWN) return;
    try {
      choose(name, tables);
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      for (const { message, hint } of error.problems) yield new Problem(dotted(here), message, hint);
    }
  }
}
