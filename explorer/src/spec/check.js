// The spec: text in, problems or resolved runs out, just as the Python package has them.
//
//   const tables = { ...prepared(JSON of `python -m dumbbell.explorer.tables`), draw: drawer(simulator) };
//   const { problems, cannot, experiment } = check(text, tables);
//   for (const point of points(experiment)) runJson(resolve(point, seed, tables).run);

import { problemsOf, without } from "./diagnosis.js";
import { experimentProblems, filesOf } from "./inspection.js";
import { Problem } from "./problem.js";
import { cannotRead } from "./resolve.js";
import { Grid, expand } from "./sweep.js";
import { validate } from "./tables.js";
import { TomlBeyondError, TomlError, parse } from "./toml.js";

/**
 * Check a spec's text.
 * @param {string} text
 * @param {object} tables prepared
 * @returns {{problems: Problem[], cannot: Problem[], words: Map<string, unknown> | null, experiment: object | null}}
 *   `problems` are those that Python tells, in its order. `cannot` is what this page cannot do, read files;
 *   `resolve` throws for such flows. There is an experiment if there are no problems, and there are words if it is TOML.
 */
export function check(text, tables) {
  try {
    return checkWords(parse(text), tables);
  } catch (error) {
    if (error instanceof TomlError || error instanceof TomlBeyondError) {
      return { problems: [syntaxProblem(error, tables)], cannot: [], words: null, experiment: null };
    }
    throw error;
  }
}

/** The same of the words of a text that is parsed. @param {Map<string, unknown>} words */
export function checkWords(words, tables) {
  const problems = [];
  let { section, errors } = validate(words, tables);
  if (errors.length) {
    problems.push(...problemsOf(errors, tables));
    ({ section, errors } = validate(without(words, errors), tables));
    if (errors.length) return { problems, cannot: [], words, experiment: null }; // too broken to ask more
  }
  const cannot = [...filesOf(section)].map(([path]) => cannotRead(path));
  problems.push(...experimentProblems(section, tables));
  return { problems, cannot, words, experiment: problems.length ? null : section };
}

/** Every point of an experiment, in order: `{values, experiment}`, `values` by the path of each list. */
export function points(experiment) {
  return expand(experiment);
}

/** How many points there are, and each by its number: `{length, point(number)}`, `length` a bigint. */
export function grid(experiment) {
  return Grid.of(experiment);
}

/** Every seed: those listed, or 1 to n. @returns {bigint[]} */
export function seedValues({ seeds }) {
  return Array.isArray(seeds) ? seeds : Array.from({ length: Number(seeds) }, (_, index) => BigInt(index + 1));
}

function syntaxProblem(error, tables) {
  if (error instanceof TomlBeyondError) return new Problem("spec", "not TOML: a number or a nesting beyond all measure", "see https://toml.io");
  const told = error.place ? `${error.place}: not TOML: ${error.reason}` : `not TOML: ${error.message}`;
  const twice = /^Cannot declare \('(\w+)',\) twice$/.exec(error.reason ?? "")?.[1];
  const hint = tables.lists.includes(twice) ? `write [[${twice}]]: a list, a table for each` : 'a line of TOML is key = "value", [table] or [[list of tables]]';
  return new Problem("spec", told, hint);
}
