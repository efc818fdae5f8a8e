// From a point and a seed to a run: text becomes integers, groups become flows, defaults become values.
// Twin of python/dumbbell/spec/resolve.py. Integers are bigint; a number is a float.

import { choose } from "./cc.js";
import { below, drawn } from "./chance.js";
import { activeGroups, arrivalsPerS, arrivingNs, bdpBytes, bufferLimit, endNs, jitterNs, sizesOf, windowNs } from "./derived.js";
import { flowNames } from "./names.js";
import { Problem, SpecError } from "./problem.js";
import { pointProblems } from "./rules.js";
import { isA, scalar } from "./section.js";

/** What this page cannot do, and the command can: told apart from what is wrong with a spec. */
export class CannotHere extends Error {
  /** @param {Problem[]} problems */
  constructor(problems) {
    super(problems.join("\n"));
    this.name = "CannotHere";
    this.problems = problems;
  }
}

/** @param {string} path of the field that names the file */
export function cannotRead(path) {
  return new Problem(path, "this page reads no files from a disk", "`dumbbell run` does");
}

/**
 * Resolve one point with one seed.
 * @param {{experiment: object}} point
 * @param {bigint | number} seed
 * @param {object} tables prepared
 * @returns {{run: object, groups: string[], ccs: string[], bdpBytes: number, startJitterNs: bigint, rttSpreadNs: bigint}}
 *   Throws SpecError where a point of a sweep too large to be checked in advance makes no sense, and CannotHere.
 */
export function resolve(point, seed, tables) {
  const { experiment } = point;
  const problems = [...pointProblems(experiment, tables)];
  if (problems.length) throw new SpecError(problems);
  const flows = [];
  const groups = [];
  const ccs = [];
  const active = new Set(activeGroups(experiment));
  for (const [place, names] of flowNames(experiment.flows).entries()) {
    if (!active.has(place)) continue;
    const group = experiment.flows[place];
    flows.push(...resolvedFlows(experiment, place, names, BigInt(seed), tables));
    for (const _ of names) groups.push(names[0]);
    for (const _ of names) ccs.push(scalar(group.cc));
  }
  const run = {
    seed: BigInt(seed),
    duration_ns: endNs(experiment),
    until_done: scalar(experiment.duration).untilDone,
    path: resolvedPath(experiment.path, tables),
    flows,
    host: resolvedHost(experiment.host),
    measure: resolvedMeasure(experiment),
  };
  return {
    run,
    groups,
    ccs,
    bdpBytes: bdpBytes(experiment.path).toNumber(),
    startJitterNs: scalar(experiment.start_jitter).ns,
    rttSpreadNs: scalar(experiment.rtt_spread).ns,
  };
}

/** A flow's own part of the start jitter, uniform below `jitterNs`. @param {bigint} seed @param {bigint} jitterNs */
export function startJitterNs(seed, flow, jitterNs, tables) {
  return below("start_jitter", seed, flow, jitterNs, tables);
}

/** What a flow's base round-trip time is longer by, uniform below `spreadNs`. @param {bigint} seed @param {bigint} spreadNs */
export function rttOffsetNs(seed, flow, spreadNs, tables) {
  return below("rtt_spread", seed, flow, spreadNs, tables);
}

function* resolvedFlows(experiment, place, names, seed, tables) {
  const group = experiment.flows[place];
  const choice = choose(scalar(group.cc), tables);
  const start = scalar(group.start).ns;
  const stagger = scalar(group.stagger).ns;
  const jitter = scalar(experiment.start_jitter).ns;
  const written = group.stop === null ? null : scalar(group.stop).ns;
  const stop = written === endNs(experiment) ? null : written;
  const rtt = scalar(group.rtt === null ? experiment.path.rtt : group.rtt).ns;
  const side = scalar(experiment.path.delay_side);
  const spread = scalar(experiment.rtt_spread).ns;
  const workload = resolvedWorkload(experiment, place, seed, tables);
  const access = resolvedAccess(experiment.path, group, tables);
  for (const [index, name] of names.entries()) {
    const own = rtt + rttOffsetNs(seed, name, spread, tables);
    const forward = { return: 0n, forward: own, split: own / 2n }[side];
    yield {
      name,
      cc: { algorithm: choice.algorithm, parameters: choice.parameters },
      start_ns: start + BigInt(index) * stagger + startJitterNs(seed, name, jitter, tables),
      stop_ns: stop,
      workload,
      forward_delay_ns: forward,
      return_delay_ns: own - forward,
      access,
    };
  }
}

function resolvedPath(path, tables) {
  const shaper = scalar(path.shaper);
  const place = scalar(path.shaper_at);
  return {
    rate_bps: scalar(path.rate).bps,
    buffer: bufferLimit(scalar(path.buffer), path, scalar(path.rate), tables),
    burst_bytes: scalar(path.burst).bytes,
    ...(shaper === "tbf" ? {} : { shaper }), // as before there were others
    ...(place === "router" ? {} : { shaper_at: place }),
    jitter_ns: jitterNs(path, tables),
    loss_ppb: scalar(path.loss).ppb,
    loss_at: scalar(path.loss_at),
    mtu_bytes: scalar(path.mtu),
    offload: scalar(path.offload),
    changes: path.change.map((change) => ({ at_ns: scalar(change.at).ns, rate_bps: scalar(change.rate).bps })),
  };
}

function resolvedWorkload(experiment, place, seed, tables) {
  const path = `flows[${place}].workload`;
  const workload = scalar(experiment.flows[place].workload);
  if (isA(workload, "Transfer")) return { transfer: { bytes: scalar(workload.transfer).bytes } };
  if (isA(workload, "Stream")) {
    const [rate, length, every] = [scalar(workload.stream).bps, scalar(workload.for).ns, scalar(workload.every).ns];
    return { stream: { rate_bps: rate, for_ns: length, every_ns: every } };
  }
  if (isA(workload, "Trace")) throw new CannotHere([cannotRead(`${path}.trace`)]);
  if (isA(workload, "ShortFlows")) return { arrivals: { arrivals: arrivalsOf(experiment, place, workload, seed, tables) } };
  if (isA(workload, "Command")) {
    const server = workload.server === null ? [] : scalar(workload.server);
    const user = scalar(workload.user);
    const program = { command: [...scalar(workload.command)], server: [...server] };
    return { command: { ...program, ...(user === "caller" ? {} : { user }) } }; // as before there was this
  }
  return "bulk";
}

/** A source's transfers; under its name or, of a table without one, its place, so that cc changes nothing. */
function arrivalsOf(experiment, place, source, seed, tables) {
  const path = `flows[${place}].workload`;
  if (source.arrivals.trace !== null) throw new CannotHere([cannotRead(`${path}.arrivals.trace`)]);
  if (isA(scalar(source.size), "CdfSize")) throw new CannotHere([cannotRead(`${path}.size.cdf`)]);
  const group = experiment.flows[place];
  const answer = drawn("arrivals", {
    seed,
    name: group.name === null ? `flows[${place}]` : scalar(group.name),
    per_s: arrivalsPerS(experiment, source, tables),
    sizes: sizesOf(source),
    end_ns: arrivingNs(experiment, group),
    count: source.arrivals.count === null ? null : scalar(source.arrivals.count),
  }, tables);
  return [...answer.matchAll(/\[(\d+),(\d+)\]/g)].map(([, at, bytes]) => [BigInt(at), BigInt(bytes)]);
}

function resolvedAccess(path, group, tables) {
  if (group.access === null) return null;
  const access = scalar(group.access);
  return {
    rate_bps: scalar(access.rate).bps,
    buffer: bufferLimit(scalar(access.buffer), path, scalar(access.rate), tables),
    kind: scalar(access.kind),
  };
}

function resolvedHost(host) {
  const memory = scalar(host.socket_memory);
  return {
    socket_memory: memory.keyword ?? { bytes: memory.bytes },
    receive_window_bytes: host.receive_window === null ? null : scalar(host.receive_window).bytes,
    initial_window_segments: scalar(host.initial_window),
    qdisc: scalar(host.qdisc),
    sack_compression: scalar(host.sack_compression),
    gro: scalar(host.gro),
    ack_aggregation_ns: scalar(host.ack_aggregation).ns,
  };
}

function resolvedMeasure(experiment) {
  const [begin, end] = windowNs(experiment);
  const { measure } = experiment;
  return {
    window_begin_ns: begin,
    window_end_ns: end,
    sample_ns: scalar(measure.sample).ns,
    record: scalar(measure.record),
    ...(measure.ss === null ? {} : { ss_ns: scalar(measure.ss).ns }), // as before there was this
  };
}
