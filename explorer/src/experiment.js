/** Runs of an experiment as the page's views take them. */

import { changed } from "./edit.js";
import { NANOS_PER_S } from "./gauges.js";
import { completed } from "./link.js";
import { isThere, placed } from "./network.js";
import { Refused } from "./pool.js";
import { baseName } from "./spec.js";

/** The experiment of some words with other values of some fields, by their paths. */
export function withValues(fields, values, tables) {
  for (const [path, value] of values) {
    if (!isThere(completed(fields, tables.spec), path)) throw new Refused(`${path}: this experiment has no such queue; switch it on under Path, or choose another field`);
    fields = changed(fields, placed(fields, path, tables), value);
  }
  const { problems, experiment } = tables.spec.check({ fields });
  if (problems.length) throw new Refused(problems.map(({ path, message, hint }) => `${path}: ${message}${hint ? `; ${hint}` : ""}`).join("\n"));
  return experiment;
}

/**
 * A run of the first point: `{run, json, id, seed, names, groups, styles, bdp_bytes, frame_bytes, start_jitters_ns, packets}`. `run` is the
 * request, `json` its text, `id` its name in every store. `isSummary`: without series; `sample_s`, `until_s`: finer samples, and
 * no longer than that.
 */
export function planned(experiment, { spec }, { seed = experiment.seeds[0], isSummary = false, sample_s, until_s } = {}) {
  const [sample_ns, until_ns] = [sample_s, until_s].map((seconds) => Math.round(seconds * NANOS_PER_S));
  const series = sample_s === undefined ? null : { series: { sample_ns, until_ns } };
  const resolved = spec.resolve(experiment, seed, series ?? (isSummary ? "summary" : null));
  const { run: json, groups: names, ccs, bdp_bytes, frame_bytes, start_jitters_ns } = resolved;
  const run = JSON.parse(json);
  const groups = [];
  names.forEach((name, flow) => {
    const own = groups.find((group) => group.name === name);
    if (own) own.flows.push(flow);
    else groups.push({ name, cc: ccs[flow], flows: [flow] });
  });
  const recorded = series ? `-${sample_ns}-${run.duration_ns}` : isSummary ? "-summary" : "";
  return {
    run, json, id: resolved.id + recorded, seed, groups, names, styles: ccs.map(baseName), bdp_bytes, frame_bytes, start_jitters_ns,
    packets: packetsOf(run, frame_bytes),
  };
}

/** Packets that a run carries at most, about; where flows pass different queues, each carries its own. */
function packetsOf({ path, duration_ns, flows, until_done }, frame_bytes) {
  const isUp = ({ direction }) => direction === "up";
  const down = path.hops && flows.some((flow) => flow.route?.data && !isUp(flow)) ? path.hops : [path];
  const rate_bps = [...down, ...(flows.some(isUp) ? path.back : [])].reduce((sum, line) => sum + line.rate_bps, 0);
  const bits = (rate_bps * duration_ns) / NANOS_PER_S;
  const total = flows.reduce((sum, { workload }) => sum + bytesToSend(workload), 0);
  const carried = Math.min(bits, until_done ? 8 * 1.1 * total : Infinity);
  return carried / (8 * frame_bytes) + 100 * flows.length;
}

/** What a flow has to send; infinite of one that never ends. */
function bytesToSend({ transfer, arrivals }) {
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
