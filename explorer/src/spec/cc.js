// Congestion controls as a spec names them: an algorithm, a variant of one, and parameters. Twin of python/dumbbell/cc.py.

import { WHITE_SPACE, lengthOf, stripped } from "./number.js";
import { Problem, SpecError, suggestion } from "./problem.js";

const CC_WORDS = new RegExp(
  `^[${WHITE_SPACE}]*([^${WHITE_SPACE}\\[\\]]+)[${WHITE_SPACE}]*(?:\\[([^\\[\\]]*)\\])?[${WHITE_SPACE}]*$`,
  "u",
);
const CC_PARAMETER = new RegExp(
  `^[${WHITE_SPACE}]*([A-Za-z_][A-Za-z0-9_]*)[${WHITE_SPACE}]*=[${WHITE_SPACE}]*([^${WHITE_SPACE}]+)[${WHITE_SPACE}]*$`,
  "u",
);
const CC_NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$/;
const CC_SWITCH = new Map([["true", 1], ["false", 0]]);
const CC_LONGEST_SHOWN = 60;

/** The algorithm or variant without inline parameters: "bbr_4_17" of "bbr_4_17[cwnd_gain=1.5]". @param {string} written */
export function baseName(written) {
  return stripped(written.split("[")[0]);
}

/**
 * Find what a text names.
 * @param {string} written
 * @param {object} tables section "algorithms" of TABLES.md
 * @returns {{written: string, name: string, algorithm: string, parameters: Map<string, number>}} `parameters` are those
 *   that differ from the algorithm's defaults, in order of name. Throws SpecError; its problems have no path.
 */
export function choose(written, tables) {
  const match = lengthOf(written) <= tables.limits.CC_LONGEST ? CC_WORDS.exec(written) : null;
  if (match === null) throw ccFault(`"${ccShortened(written)}" names no congestion control`, 'write it as "bbr" or "bbr[cwnd_gain=1.5]"');
  const [, name, inline] = match;
  const variant = ownOf(tables.variants, name);
  const base = variant ? variant.base : name;
  const algorithm = ownOf(tables.algorithms, base);
  if (!algorithm) {
    const variants = Object.keys(tables.variants).filter((each) => ownOf(tables.algorithms, tables.variants[each].base));
    throw ccFault(`unknown "${name}"`, suggestion(name, [...Object.keys(tables.algorithms), ...variants]));
  }
  const problems = [];
  const parameters = new Map(Object.entries(variant ? variant.parameters : {}));
  const given = new Set();
  for (const text of inline && stripped(inline) ? inline.split(",") : []) {
    try {
      const [key, value] = ccParameter(text, base, algorithm);
      if (given.has(key)) problems.push(new Problem("", `parameter "${key}" is given twice`, "give it once"));
      given.add(key);
      parameters.set(key, value);
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length) throw new SpecError(problems);
  const different = [...parameters].filter(([key, value]) => value !== algorithm.parameters[key].default);
  different.sort(([one], [other]) => (one < other ? -1 : 1));
  return { written, name, algorithm: base, parameters: new Map(different) };
}

function ownOf(table, key) {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function ccShortened(text) {
  return [...text].slice(0, CC_LONGEST_SHOWN).join("");
}

function ccFault(message, hint) {
  return new SpecError([new Problem("", message, hint)]);
}

function ccParameter(text, base, algorithm) {
  const match = CC_PARAMETER.exec(text);
  if (match === null) throw ccFault(`"${ccShortened(stripped(text))}" sets no parameter`, 'write it as "cwnd_gain=1.5"');
  const [, name, digits] = match;
  const parameter = ownOf(algorithm.parameters, name);
  if (!parameter) {
    const known = Object.keys(algorithm.parameters);
    throw ccFault(`${base} has no parameter "${name}"`, known.length ? suggestion(name, known) : "it has none");
  }
  let value = parameter.kind === "switch" ? CC_SWITCH.get(digits) : undefined;
  value ??= CC_NUMBER.test(digits) ? Number(digits) : NaN;
  value += 0; // no negative zero: it would be another run
  const [least, most] = parameter.range;
  if (!(least <= value && value <= most)) {
    const what = Number.isFinite(value) ? "is out of range" : "is no number";
    throw ccFault(`${name}=${ccShortened(digits)} ${what}`, parameter.wanted);
  }
  if (parameter.kind !== "number" && !Number.isInteger(value)) {
    const what = parameter.kind === "integer" ? "a whole number" : "a switch";
    throw ccFault(`${name}=${ccShortened(digits)} is not ${what}`, parameter.wanted);
  }
  return [name, value];
}
