/** An experiment as the page's views take it: between them and the twins of Python's `spec`. */

import { changed } from "./edit.js";
import { baseName } from "./spec/cc.js";
import { NANOS_PER_S } from "./gauges.js";
import { Refused } from "./pool.js";
import { CannotHere, resolve } from "./spec/resolve.js";
import { runId, runJson } from "./spec/runid.js";
import { check, checkWords, points, seedValues } from "./spec/check.js";
import { toml } from "./spec/writer.js";

/** What a text says: `{problems, words, experiment}`; the experiment is null where it has problems, or is not for a page. */
export function understood(text, tables) {
  return taken(check(text, tables));
}

function taken({ problems, cannot, words, experiment }) {
  const all = [...problems, ...cannot];
  return { problems: all, words, experiment: all.length || !experiment ? null : { spec: experiment, seeds: seedValues(experiment) } };
}

/** Words as TOML. */
export const written = (words, tables) => toml(words, tables);

/** The experiment of some words with other values of some fields, by their paths. */
export function withValues(words, values, tables) {
  for (const [path, value] of values) words = changed(words, path, value);
  const { problems, experiment } = taken(checkWords(words, tables));
  if (problems.length) throw new Refused(problems.map(({ path, message, hint }) => `${path}: ${message}${hint ? `; ${hint}` : ""}`).join("\n"));
  return experiment;
}

/**
 * A run of the first point: `{run, json, id, seed, names, groups, styles, bdp_bytes, packets}`. `run` is the request as plain
 * JSON, `json` its text, `id` its name in every store. `isSummary`: without series; `sample_s`, `until_s`: finer samples, and
 * no longer than that.
 */
export function planned({ spec, seeds }, tables, { seed = seeds[0], isSummary = false, sample_s, until_s } = {}) {
  const [point] = points(spec);
  let resolved;
  try {
    resolved = resolve(point, seed, tables);
  } catch (error) {
    throw error instanceof CannotHere ? new Refused(error.message) : error;
  }
  const { run } = resolved;
  let id = runId(resolved, "sim", tables.identity);
  if (isSummary && run.measure.record !== "summary") {
    run.measure.record = "summary";
    id += "-summary";
  }
  if (sample_s !== undefined) {
    run.measure.sample_ns = BigInt(Math.round(sample_s * NANOS_PER_S));
    const end_ns = BigInt(Math.round(until_s * NANOS_PER_S));
    if (end_ns < run.duration_ns) run.duration_ns = end_ns;
    Object.assign(run.measure, { record: "series", window_begin_ns: 0n, window_end_ns: run.duration_ns });
    id += `-${run.measure.sample_ns}-${run.duration_ns}`;
  }
  const json = runJson(run);
  const groups = [];
  resolved.groups.forEach((name, flow) => {
    const own = groups.find((group) => group.name === name);
    if (own) own.flows.push(flow);
    else groups.push({ name, cc: resolved.ccs[flow], flows: [flow] });
  });
  const plain = JSON.parse(json);
  return {
    run: plain, json, id, seed, groups, names: resolved.groups, styles: resolved.ccs.map(baseName), bdp_bytes: resolved.bdpBytes,
    start_jitter_ns: resolved.startJitterNs,
    packets: packetsOf(plain),
  };
}

/** Packets that a run carries at most, about. */
export function packetsOf({ path, duration_ns, flows, until_done }) {
  const bits = (path.rate_bps * duration_ns) / NANOS_PER_S;
  const asked = flows.reduce((sum, { workload }) => sum + askedBytes(workload), 0);
  const carried = Math.min(bits, until_done ? 8 * 1.1 * asked : Infinity);
  return carried / (8 * (path.mtu_bytes + 14)) + 100 * flows.length;
}

/** What a flow has to send; infinite of one that never ends. */
function askedBytes({ transfer, arrivals }) {
  return arrivals ? arrivals.arrivals.reduce((sum, [, bytes]) => sum + bytes, 0) : transfer?.bytes ?? Infinity;
}

/** The lines of a chart as CSV: a row a point. */
export function csvOf(spec) {
  const rows = spec.concat.flatMap((panel, number) => panel.layer.filter(({ data }) => data?.name).flatMap(({ data }, layer) => {
    const [quantity, line] = [spec.usermeta.panels[number].y, spec.usermeta.panels[number].layers[layer]];
    return data.values.map(({ x, y }) => [quantity, line, x, y].map(cell).join(","));
  }));
  return ["quantity,line,x,y", ...rows, ""].join("\n");
}

const BEGINS_FORMULA = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^([+-]?(\d+\.?\d*(e[+-]?\d+)?|inf(inity)?)( ± \d+\.?\d*)?|-)$/i;

/** Text of a cell, which no spreadsheet takes for a formula: `spreadsheet.py`. */
export const cellText = (text) => (BEGINS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function cell(value) {
  const text = cellText(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
