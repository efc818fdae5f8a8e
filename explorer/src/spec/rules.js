// The rules between the fields of one point, where no list is left. Twin of python/dumbbell/spec/rules.py, each rule
// under its name. A rule that needs a field with a problem of its own has nothing to say: it meets DependsOnInvalidField.

import { activeGroups, arrivalsPerS, arrivingNs, bufferLimit, endNs, frameBytes, jitterNs, lastStartNs, windowNs } from "./derived.js";
import { nameProblems } from "./names.js";
import { fixed, general, thousands } from "./number.js";
import { Problem, quoted } from "./problem.js";
import { DependsOnInvalidField, isA, scalar } from "./section.js";
import { placesIn } from "./words.js";

const SECOND_NS = 10n ** 9n;
const BITS_A_BYTE = 8n;

/** Everything wrong between the fields of one point. @returns {Generator<Problem>} */
export function* pointProblems(point, tables) {
  yield* runRules(
    () => aloneProblems(point),
    () => durationProblems(point),
    () => bufferProblems(point, tables),
    () => jitterProblems(point.path, tables),
    () => shaperProblems(point),
    () => changeProblems(point, tables),
  );
  try {
    for (const [index, group] of [...point.flows].entries()) {
      const path = `flows[${index}]`;
      yield* runRules(
        () => startProblems(point, group, path, tables),
        () => stopProblems(point, group, path, tables),
        () => streamProblems(group, `${path}.workload`, tables),
        () => traceProblems(group),
        () => sourceProblems(point, group, path, tables),
        () => commandProblems(point, group, `${path}.workload`, tables),
        () => accessProblems(point, group, `${path}.access.buffer`, tables),
      );
    }
  } catch (error) {
    if (!(error instanceof DependsOnInvalidField)) throw error;
  }
  yield* runRules(
    () => countProblems(point, tables),
    () => nameProblems(point.flows),
    () => windowProblems(point, tables),
    () => sampleProblems(point, tables),
  );
}

/** Ask each rule; one that cannot tell is passed over. */
export function* runRules(...rules) {
  for (const rule of rules) {
    try {
      yield* rule();
    } catch (error) {
      if (!(error instanceof DependsOnInvalidField)) throw error;
    }
  }
}

export function* aloneProblems(point) {
  if (point.alone !== null && !activeGroups(point).length) {
    const last = point.flows.length - 1;
    const hint = last ? `from "flows[0]" to "flows[${last}]"` : 'the only one is "flows[0]"';
    yield new Problem("alone", `${quoted(scalar(point.alone))} is no group of this spec`, hint);
  }
}

export function* shaperProblems(point) {
  if (scalar(point.path.shaper_at) !== "receiver") return;
  const side = scalar(point.path.delay_side);
  const loses = scalar(point.path.loss_at);
  let told = "a shaper at the receiver's ingress is the last hop: nothing of the path is behind it";
  if (side !== "return") yield new Problem("path.delay_side", told, 'delay_side = "return", or shaper_at = "router"');
  if (scalar(point.path.loss).ppb && loses !== "before") {
    yield new Problem("path.loss_at", told, 'loss_at = "before", or shaper_at = "router"');
  }
  told = "what a NIC holds back comes before the receiver's ingress, and no shaper is there";
  if (scalar(point.host.gro)) yield new Problem("host.gro", told, 'path.offload = true, or path.shaper_at = "router"');
  if (scalar(point.host.ack_aggregation).ns) {
    yield new Problem("host.ack_aggregation", told, 'leave it out, or write path.shaper_at = "router"');
  }
}

export function* durationProblems(point) {
  if (!scalar(point.duration).untilDone) {
    if (point.time_limit !== null) {
      yield new Problem("time_limit", 'is of use with duration = "until done" only', "leave one of the two out");
    }
    return;
  }
  if (point.time_limit === null) {
    yield new Problem("time_limit", 'missing: duration = "until done" needs one', 'write time_limit = "600 s"');
  }
  const groups = activeGroups(point).map((place) => point.flows[place]);
  if (groups.length && groups.every((group) => scalar(group.workload) === "bulk")) {
    yield new Problem("duration", '"until done", but no flow is ever done', 'give a flow a transfer, or write "300 s"');
  }
  for (const place of activeGroups(point)) {
    const workload = scalar(point.flows[place].workload);
    if (isA(workload, "ShortFlows") && isEndless(workload.arrivals) && point.flows[place].stop === null) {
      const hint = "say how many with count = 10000, or when with the flow's stop";
      yield new Problem(`flows[${place}].workload.arrivals`, 'never end, and the run is "until done"', hint);
    }
  }
}

export function* bufferProblems(point, tables) {
  const size = scalar(point.path.buffer);
  const counts = scalar(point.path.queue);
  if (counts === "packets" && tables.quantities.Bytes.units[size.unit]) {
    const hint = 'write the buffer in packets, in bdp or as a time, or leave out queue = "packets"';
    yield new Problem("path.buffer", `${quoted(size.text)} is in bytes, but the queue counts packets`, hint);
  } else {
    yield* roomProblems(size, point.path, scalar(point.path.rate), "path.buffer", tables);
  }
}

export function* accessProblems(point, group, where, tables) {
  if (group.access === null) return;
  const access = scalar(group.access);
  yield* roomProblems(scalar(access.buffer), point.path, scalar(access.rate), where, tables);
}

export function* roomProblems(size, path, rate, where, tables) {
  const room = bufferLimit(size, path, rate, tables);
  const frame = frameBytes(path, tables);
  const told = quoted(size.text);
  if ("packets" in room) return;
  if (room.bytes < frame) {
    const same = size.unit === "B" ? "" : ` (${room.bytes} B)`;
    yield new Problem(where, `${told}${same} is less than one frame of ${frame} B`, `no packet would fit; at least "${frame} B"`);
  } else if (room.bytes > BigInt(tables.largest_buffer.value)) {
    yield new Problem(where, `${told} is ${room.bytes} B`, `at most ${tables.largest_buffer.text}`);
  }
}

export function* jitterProblems(path, tables) {
  const jitter = scalar(path.jitter);
  const { bounds } = tables.kinds.Jitter;
  if (jitter.unit !== "packet") return;
  const ns = jitterNs(path, tables);
  if (bounds.least.ns <= ns && ns <= bounds.most.ns) return;
  const rate = scalar(path.rate).text;
  const told = `${quoted(jitter.text)} of ${frameBytes(path, tables)} B at ${rate} is ${tables.kinds.Time.show(ns)}`;
  yield new Problem("path.jitter", told, `${bounds}, or "none"`);
}

export function* changeProblems(point, tables) {
  const { Time } = tables.kinds;
  const moments = [...point.path.change].map((change) => scalar(change.at).ns);
  for (const [index, moment] of moments.entries()) {
    const before = index ? moments[index - 1] : 0n;
    if (moment <= before) {
      const hint = index ? "order the changes by time" : "write the first rate as path.rate";
      yield new Problem(`path.change[${index}].at`, `${Time.show(moment)} is not after ${Time.show(before)}`, hint);
    }
  }
  const end = endNs(point);
  for (const [index, moment] of moments.entries()) {
    if (moment >= end) yield afterTheEnd(`path.change[${index}].at`, moment, end, tables);
  }
}

export function afterTheEnd(path, moment, end, tables, what = "") {
  const { Time } = tables.kinds;
  const told = `${what}${Time.show(moment)} is ${moment === end ? "at" : "after"} the end of the run, ${Time.show(end)}`;
  return new Problem(path, told, "make it earlier, or the duration longer");
}

export function* startProblems(point, group, path, tables) {
  const end = endNs(point);
  const start = scalar(group.start).ns;
  if (start >= end) {
    yield afterTheEnd(`${path}.start`, start, end, tables);
    return;
  }
  const last = lastStartNs(group);
  if (last >= end) {
    yield afterTheEnd(`${path}.stagger`, last, end, tables, `flow ${scalar(group.count)} of the group starts late: `);
  } else if (last + scalar(point.start_jitter).ns > end) {
    const latest = last + scalar(point.start_jitter).ns;
    yield afterTheEnd("start_jitter", latest, end, tables, `${path} may start as late as that: `);
  }
}

export function* stopProblems(point, group, path, tables) {
  if (group.stop === null) return;
  const { Time } = tables.kinds;
  const stop = scalar(group.stop).ns;
  const start = scalar(group.start).ns;
  const latest = lastStartNs(group) + scalar(point.start_jitter).ns;
  if (stop <= start) {
    const told = `${Time.show(stop)} is not after the start, ${Time.show(start)}`;
    yield new Problem(`${path}.stop`, told, "stop is a moment of the run, not a length");
  } else if (stop <= latest) {
    const told = `${Time.show(stop)} is not after the latest start in the group, ${Time.show(latest)}`;
    yield new Problem(`${path}.stop`, told, "stagger and start_jitter count too");
  }
  if (stop > endNs(point)) yield afterTheEnd(`${path}.stop`, stop, endNs(point), tables);
}

export function* streamProblems(group, path, tables) {
  const stream = scalar(group.workload);
  if (!isA(stream, "Stream")) return;
  const { Time } = tables.kinds;
  const most = tables.limits.MOST_WRITES;
  const rate = scalar(stream.stream).bps;
  const length = scalar(stream.for).ns;
  const every = scalar(stream.every).ns;
  if (length < every) {
    const told = `${Time.show(length)} is shorter than the ${Time.show(every)} between two writes`;
    yield new Problem(`${path}.for`, told, "a stream has one write at least");
  } else {
    const writes = (length / every) * scalar(group.count);
    if (writes > BigInt(most)) yield new Problem(`${path}.every`, `${writes} writes are too many`, `at most ${most}`);
  }
  if (rate * every < BITS_A_BYTE * SECOND_NS) {
    const told = `${Time.show(every)} at ${scalar(stream.stream).text} is less than one byte a write`;
    yield new Problem(`${path}.every`, told, "write less often");
  }
}

/** Of how many writes a file has: this page reads none, and refuses what names one. */
export function* traceProblems(group) {
  if (isA(scalar(group.workload), "Trace")) throw new DependsOnInvalidField("trace");
}

export function isEndless(arrivals) {
  return arrivals.count === null && arrivals.trace === null;
}

export function* sourceProblems(point, group, path, tables) {
  const source = scalar(group.workload);
  if (!isA(source, "ShortFlows")) return;
  const flows = scalar(group.count);
  if (flows > 1n) {
    const hint = "write another [[flows]] table for each source; how many transfers arrive is workload.arrivals.count";
    yield new Problem(`${path}.count`, `${flows} sources of arrivals in one table`, hint);
  }
  const problems = [...arrivalProblems(source, `${path}.workload`), ...sizeProblems(source, `${path}.workload.size`)];
  yield* problems;
  if (!problems.length) yield* runRules(() => loadProblems(point, group, source, `${path}.workload`, tables));
}

export function* arrivalProblems(source, path) {
  const { arrivals } = source;
  const kinds = ["load", "rate", "trace"].filter((kind) => arrivals[kind] !== null);
  if (!kinds.length) {
    const hint = 'write load = 0.6, rate = "50 /s" or trace = "arrivals.csv"';
    yield new Problem(`${path}.arrivals`, "does not say when transfers arrive", hint);
  }
  for (const kind of kinds.slice(1)) {
    yield new Problem(`${path}.arrivals.${kind}`, `beside ${kinds[0]}, which says it already`, "leave one of them out");
  }
  if (arrivals.trace !== null) throw new DependsOnInvalidField("trace"); // this page reads no file
  if (source.size === null) yield new Problem(`${path}.size`, "missing", 'write size = "100 kB"');
}

export function* sizeProblems(source, path) {
  const size = source.size === null ? null : scalar(source.size);
  if (isA(size, "LognormalSize")) yield* oneOf(size.lognormal, `${path}.lognormal`, "mean", "median");
  if (!isA(size, "ParetoSize")) return;
  const tail = size.pareto;
  const here = `${path}.pareto`;
  yield* oneOf(tail, here, "mean", "minimum");
  const shape = scalar(tail.shape);
  if (tail.maximum === null) {
    if (shape <= 1 && (tail.mean !== null || source.arrivals.load !== null)) {
      const told = `a Pareto distribution of shape ${general(shape)} has no mean`;
      yield new Problem(`${here}.shape`, told, 'a shape above 1, or maximum = "100 MB"');
    }
    return;
  }
  const most = scalar(tail.maximum);
  for (const key of ["mean", "minimum"]) {
    if (tail[key] !== null && scalar(tail[key]).bytes >= most.bytes) {
      const told = `${quoted(scalar(tail[key]).text)} is not below the maximum`;
      yield new Problem(`${here}.${key}`, told, `less than ${most.text}`);
    }
  }
}

export function* oneOf(table, path, first, second) {
  const written = [first, second].filter((key) => table[key] !== null);
  if (written.length !== 1) {
    const told = written.length ? `${first} and ${second} are both there` : `neither ${first} nor ${second} is there`;
    yield new Problem(path, told, `write one of them: ${first} or ${second}`);
  }
}

export function* loadProblems(point, group, source, path, tables) {
  const perS = arrivalsPerS(point, source, tables);
  const arriving = arrivingNs(point, group);
  if (perS === null || arriving === null || source.arrivals.count !== null) return;
  const most = tables.limits.MOST_ARRIVALS;
  const expected = (perS * Number(arriving)) / Number(SECOND_NS);
  if (expected > most) {
    const kind = source.arrivals.load !== null ? "load" : "rate";
    const told = `${fixed(expected, 0, { grouped: true })} arrivals in ${tables.kinds.Time.show(arriving)} are too many`;
    yield new Problem(`${path}.arrivals.${kind}`, told, `at most ${thousands(most)}: count = 10000, or a stop`);
  }
}

export function* commandProblems(point, group, path, tables) {
  const program = scalar(group.workload);
  if (!isA(program, "Command")) return;
  const named = new Set(placesIn(scalar(program.command)));
  if (program.server !== null) {
    const served = new Set(placesIn(scalar(program.server)));
    if (named.has("port") !== served.has("port")) {
      const [lacks, has] = named.has("port") ? ["server", "command"] : ["command", "server"];
      const told = `without {port}, which ${has} has: the two would not meet`;
      yield new Problem(`${path}.${lacks}`, told, "write {port} in both, or a port of yours in both");
    }
    for (const each of served) named.add(each);
  }
  const end = group.stop === null ? endNs(point) : scalar(group.stop).ns;
  const lasts = end - lastStartNs(group) - scalar(point.start_jitter).ns;
  if (named.has("seconds") && 0n < lasts && lasts < SECOND_NS) {
    const told = `{seconds} of a flow that may last ${tables.kinds.Time.show(lasts)} only: none is whole`;
    yield new Problem(`${path}.command`, told, "let it last 1 s at least");
  }
}

export function* countProblems(point, tables) {
  const most = tables.limits.MOST_FLOWS;
  const flows = [...point.flows].reduce((sum, group) => sum + scalar(group.count), 0n);
  if (flows > BigInt(most)) yield new Problem("flows", `${flows} flows in all are too many`, `at most ${most}`);
}

export function* windowProblems(point, tables) {
  if (point.measure.window === null) return;
  const { Time } = tables.kinds;
  if (scalar(point.duration).untilDone) {
    for (const [index, moment] of [...point.measure.window].entries()) {
      if (moment.unit === "%") {
        const told = `${quoted(moment.text)} of a duration that is "until done"`;
        yield new Problem(`measure.window[${index}]`, told, "write the window in times, or leave it out");
        return;
      }
    }
  }
  const [begin, end] = windowNs(point);
  const last = endNs(point);
  if (begin >= end) {
    const told = `begins at ${Time.show(begin)}, not before its end at ${Time.show(end)}`;
    yield new Problem("measure.window", told, "write the earlier moment first");
  }
  if (begin >= last) yield afterTheEnd("measure.window[0]", begin, last, tables);
  if (end > last) yield afterTheEnd("measure.window[1]", end, last, tables);
}

export function* sampleProblems(point, tables) {
  const { Time } = tables.kinds;
  const most = tables.limits.MOST_SAMPLES;
  const sample = scalar(point.measure.sample).ns;
  const end = endNs(point);
  if (end / sample > BigInt(most)) {
    yield new Problem("measure.sample", `${end / sample} samples are too many`, `at most ${most} a run`);
  }
  const [begin, last] = windowNs(point);
  if (0n < last - begin && last - begin < sample) {
    const told = `${Time.show(sample)} is longer than the window, ${Time.show(last - begin)}`;
    yield new Problem("measure.sample", told, "sample more often, or widen the window");
  }
}
