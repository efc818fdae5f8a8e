// What the tests of the twins share: cases that Python wrote, and their values.

import { readFileSync } from "node:fs";

/**
 * The cases of a file that `explorer/tests/cases.py` wrote.
 * @param {string} name
 * @returns {any[]}
 */
export function cases(name) {
  return JSON.parse(readFileSync(new URL(`cases/${name}.json`, import.meta.url), "utf8"));
}

/** The part of Python's tables that the twins need. */
export const tables = cases("tables")[0];

/**
 * The double of Python's `repr`.
 * @param {string} text
 * @returns {number}
 */
export function double(text) {
  return Number(text.replace("inf", "Infinity").replace("nan", "NaN"));
}

/**
 * A value as the page has it, of one as the cases have it.
 * @param {unknown} value
 * @returns {unknown}
 */
export function decoded(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(decoded);
  const [[kind, inner]] = Object.entries(value);
  if (kind === "int") return BigInt(inner);
  if (kind === "float") return double(inner);
  if (kind === "table") return new Map(inner.map(([key, each]) => [key, decoded(each)]));
  return { toml: kind, text: inner };
}
