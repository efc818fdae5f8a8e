// A run as text: what the core reads, and what names it. Twin of `Run.to_json` and `Run.canonical` (spec/run.py),
// `_request` (campaign/plan.py) and `run_id` (results/schema.py).

import { canonicalJson } from "./number.js";
import { sha256Hex } from "./sha256.js";

const RUN_ID_DIGITS = 16;
const LEAST_POSITIONAL = 1e-5;
const LEAST_SCIENTIFIC = 1e16;

/**
 * The text that engines read: just that of Python's `Run.to_json()`. A bigint is an integer, a number a float.
 * @param {unknown} value
 * @returns {string}
 */
export function runJson(value) {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return floatJson(value);
  if (Array.isArray(value)) return `[${value.map(runJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${runJson(each)}`).join(",")}}`;
}

/** A float as pydantic's JSON has it: always with a point or an exponent. */
function floatJson(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < LEAST_POSITIONAL || size >= LEAST_SCIENTIFIC)) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : value.toString();
}

/** The bytes that a run's id is made from, as text: JSON without spaces, keys sorted. */
export function canonicalRun(run) {
  return canonicalJson(run);
}

/**
 * Name a resolved run by everything that decides its result.
 * @param {object} resolved as `resolve` gives it
 * @param {string} engine
 * @param {string} identity the engine's build
 * @returns {string} 16 digits
 */
export function runId(resolved, engine, identity) {
  const texts = (values) => `[${values.map(canonicalJson).join(", ")}]`;
  const words = `[${texts(resolved.groups)}, ${texts(resolved.ccs)}, ${canonicalJson(resolved.bdpBytes)}]`;
  return sha256Hex([canonicalRun(resolved.run), words, engine, identity].join("\n")).slice(0, RUN_ID_DIGITS);
}
