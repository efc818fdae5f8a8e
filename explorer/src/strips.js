/** Strips above the panels in time, as wide as those: what phase each flow was in, and when each queue dropped and marked. */

import { linesOf } from "./chart.js";
import { made } from "./dom.js";
import { endOf, phasesOf, queuesOf } from "./lines.js";
import { gaugeAt, NANOS_PER_S } from "./gauges.js";
import { amount, countedNoun } from "./amount.js";
import { bytesText, msText, rateText } from "./sentences.js";

const SVG = "http://www.w3.org/2000/svg";
/** Pixels that a letter takes, about. */
const LETTER_WIDTH = 6.3;
/** Of a strip: narrower stays are not seen. */
const LEAST_WIDTH = 0.4;
/** Pixels of a bin of drops, or of ECN's marks: closer ones are one. */
const EVENT_BIN = 3;
/** What a queue does of packets: its column, and how it is called. A mark is not a drop, and looks otherwise; few queues mark. */
const EVENTS = [
  { column: "dropped_packets", done: "dropped", sign: "×", noun: "drops", isAlways: true },
  { column: "marked_packets", done: "marked", sign: "○", noun: "marks" },
];

/** In which words a gauge is, by the end of its column's name; others are plain numbers. */
const TEXTS = { bytes: bytesText, bps: rateText, s: msText };

/** The strips of a run in a place; `axis`: `{left, width, domain}` of the panels below, pixels and seconds. */
export function showStrips(place, shown, measurement, skeletons, axis) {
  const { run, names } = shown;
  place.style.setProperty("--axis", `${axis.left}px`);
  place.style.setProperty("--across", `${axis.width}px`);
  const flows = phasesOf(measurement).filter(({ stays }) => stays.length).slice(0, skeletons.bins.flows);
  const lines = linesOfFlows(skeletons, shown);
  const strips = flows.map(({ flow, stays }) => {
    const phases = [...new Set(stays.map(({ phase }) => phase))].join(", ");
    const marks = stays.map(({ begin_s, end_s, phase, sample }) => {
      const state = stateOf(skeletons, measurement.flows[flow], run, sample);
      const title = `${names[flow]}: ${phase}, ${amount(begin_s)} to ${amount(end_s)} s${state && `; at first ${state}`}`;
      return { begin_s, end_s, word: phase, title };
    });
    const strip = stripOf(names[flow], `Phases of ${names[flow]}: ${phases}`, marks, axis);
    strip.style.setProperty("--mark", lines[flow].stroke);
    strip.firstChild.prepend(keyOf(lines[flow]));
    return strip;
  });
  const events = queuesOf(measurement).flatMap(({ name, queue }) => EVENTS.flatMap(({ column, done, sign, noun, isAlways }) => {
    const total = queue.series[column].at(-1) ?? 0;
    if (!total && !isAlways) return [];
    const label = `${done[0].toUpperCase()}${done.slice(1)} at the queue${name && ` of ${name}`}: ${countedNoun(total, "packet")}`;
    const strip = stripOf(name ? `${sign} ${name}` : noun, label, eventsOf(queue, column, done, endOf(run, measurement), axis), axis);
    strip.classList.add(noun);
    return [strip];
  }));
  place.replaceChildren(...strips, ...events);
}

/** The state of a flow's algorithm at a sample, without what it lacks. */
function stateOf({ state }, flow, run, sample) {
  const mss = run.path.mtu_bytes - 52;
  return Object.entries(state).flatMap(([column, name]) => {
    const value = gaugeAt(flow, column, mss, sample);
    const text = TEXTS[column.split("_").at(-1)] ?? amount;
    return value === null ? [] : [`${name} ${text(value)}`];
  }).join(", ");
}

/** How the line of each flow looks in the panels below; of many flows, that of its group. */
function linesOfFlows(skeletons, { run, groups, styles }) {
  if (run.flows.length <= skeletons.bins.flows) return linesOf(skeletons, styles);
  const lines = linesOf(skeletons, groups.map(({ flows: [first] }) => styles[first]));
  return styles.map((_, flow) => lines[groups.findIndex(({ flows }) => flows.includes(flow))]);
}

/** A piece of a flow's line, as the legend has it. */
function keyOf({ shape }) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", shape);
  const key = document.createElementNS(SVG, "svg");
  key.setAttribute("viewBox", "-1 -0.2 2 0.4");
  key.setAttribute("aria-hidden", "true");
  key.append(path);
  return key;
}

function stripOf(name, label, marks, { domain: [from_s, to_s], width }) {
  const pixels = width / (to_s - from_s);
  const seen = marks.filter(({ begin_s, end_s }) => begin_s < to_s && end_s > from_s && (end_s - begin_s) * pixels >= LEAST_WIDTH);
  return made("div", { className: "strip", role: "img", "aria-label": label },
    made("small", { title: label }, name),
    made("div", {}, ...seen.map(({ begin_s, end_s, word, title }) => {
      const [left, right] = [Math.max(begin_s, from_s), Math.min(end_s, to_s)];
      const isRoomy = word && (right - left) * pixels >= LETTER_WIDTH * word.length + 4;
      const mark = made("span", { title }, isRoomy ? word : "");
      mark.style.left = `${((left - from_s) * pixels).toFixed(1)}px`;
      mark.style.width = `${((right - left) * pixels).toFixed(1)}px`;
      return mark;
    })));
}

/** When the queue did something of packets: bins without a gap between them are one stretch. */
function eventsOf({ series }, column, done, end_s, { domain: [from_s, to_s], width }) {
  const bin_s = (EVENT_BIN * (to_s - from_s)) / Math.max(1, width);
  const stretches = [];
  for (let i = 1; i < series.at_ns.length; i += 1) {
    const count = series[column][i] - series[column][i - 1];
    if (!count) continue;
    const bin = Math.floor(series.at_ns[i] / NANOS_PER_S / bin_s);
    const last = stretches.at(-1);
    if (last && bin <= last.bin + 1) {
      last.bin = bin;
      last.count += count;
    } else stretches.push({ first: bin, bin, count });
  }
  return stretches.map(({ first, bin, count }) => {
    const [begin_s, until_s] = [first * bin_s, Math.min(end_s, (bin + 1) * bin_s)];
    return { begin_s, end_s: until_s, title: `${countedNoun(count, "packet")} ${done}, ${amount(begin_s)} to ${amount(until_s)} s` };
  });
}
