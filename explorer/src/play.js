/** The path with its packets, slowed down, and the queues of the bottleneck as they fill. */

import { linesOf } from "./chart.js";
import { amount, countedNoun } from "./amount.js";
import { byId, made, options } from "./dom.js";
import { planned } from "./experiment.js";
import { backlogOf, firstAbove, framesOf } from "./frames.js";
import { endOf } from "./lines.js";
import { BYTE_BITS, counted, edges, NANOS_PER_S } from "./gauges.js";
import { capacityInTime, isRecordedByPacket } from "./line.js";
import { linesOfRun, passesBottleneck, waysOf } from "./network.js";
import { historyOf, stripsOf } from "./queues.js";
import { Scene } from "./scene.js";
import { rateText } from "./sentences.js";

/** A stretch of the run, seconds, of so many samples at most. */
const SPAN_S = 2;
const MOST_SAMPLES = 6_000;
const FINEST_S = 0.000_5;
/** How much slower than it was; by itself so that a round trip takes this long, seconds. */
const SLOWER = [1, 3, 10, 30, 100, 300];
const ROUND_TRIP_S = 1.5;
/** Dots of a full queue: each is as many packets as it takes. */
const DOTS = 60;
/** More flows than this are drawn as their groups. */
const MOST_LANES = 6;
/** What a managed queue is drawn with room for, by the most that there was: it seldom lets itself fill. */
const HEADROOM = 1.25;
const LEAST_ROOM = 10;
/** A line's rate is taken over so long, seconds: of one that was recorded packet by packet over some of them. */
const LATELY_S = { rates: 0.005, packets: 0.1 };
/** Steps of the slider of the instant. */
const INSTANTS = 1_000;

/** The picture and its controls. */
export class Player {
  constructor(explorer) {
    this.explorer = explorer;
    this.scene = new Scene(byId("play"));
    this.isRunning = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.button = made("button", { type: "button", click: () => this.#toggle() }, this.isRunning ? "Pause" : "Play");
    this.from = made("input", { type: "range", min: 0, max: 100, value: 30, title: "Which two seconds of the run", change: () => explorer.write(explorer.text) });
    this.instant = made("input", { type: "range", min: 0, max: INSTANTS, value: 0, input: () => this.#seek() });
    this.slower = made("select", { "aria-label": "Speed", change: () => { this.isChosen = true; } },
      ...options(SLOWER.map((factor) => [String(factor), factor === 1 ? "as it was" : `${factor} times slower`]), "30"));
    byId("play-controls").append(
      this.button, this.slower, made("label", {}, "Where ", this.from), made("label", {}, "When ", this.instant),
    );
    this.last = 0;
    this.isAwaited = false; // the next frame
  }

  #toggle() {
    this.isRunning = !this.isRunning;
    this.button.textContent = this.isRunning ? "Pause" : "Play";
    this.#go();
  }

  #seek() {
    if (!this.stretch) return;
    if (this.isRunning) this.#toggle();
    this.at_s = this.begin_s + ((this.end_s - this.begin_s) * Number(this.instant.value)) / INSTANTS;
    this.#draw();
  }

  /** Simulates up to the end of the stretch, of which every frame at the bottleneck is logged. */
  async run(signal) {
    const { explorer } = this;
    const { run, frame_bytes } = explorer.shown;
    const duration_s = Math.min(Number(run.duration_ns) / NANOS_PER_S, endOf(run, explorer.measurement));
    this.begin_s = (Math.max(0, duration_s - SPAN_S) * Number(this.from.value)) / 100;
    this.end_s = Math.min(duration_s, this.begin_s + SPAN_S);
    const plan = planned(explorer.experiment, explorer.tables, { sample_s: Math.max(FINEST_S, this.end_s / MOST_SAMPLES), until_s: this.end_s });
    const { measurement, log } = await explorer.watched(plan, Math.round(this.begin_s * NANOS_PER_S), { signal });
    this.stretch = this.#stretch(plan, measurement, log, frame_bytes);
    this.at_s = this.begin_s;
    const rtt_s = Math.min(...this.stretch.lanes.map((lane) => lane.rtt_s));
    if (!this.isChosen) this.slower.value = String(SLOWER.find((factor) => factor * rtt_s >= ROUND_TRIP_S) ?? SLOWER.at(-1));
    this.#draw();
    this.#go();
  }

  /** What is drawn of a stretch: who sends, the queues, what becomes of frames in them, and the path's other queues. */
  #stretch(plan, measurement, log, frame_bytes) {
    const { path } = plan.run;
    const { bottleneck: name, kind } = waysOf(plan);
    const lanes = this.#lanes(plan);
    const limit = path.buffer.packets ?? path.buffer.bytes / frame_bytes;
    const backlog = backlogOf(log);
    const most = backlog.packets.reduce((one, other) => Math.max(one, other), 0);
    const room = kind === "fifo" ? limit : Math.min(limit, Math.max(LEAST_ROOM, HEADROOM * most));
    const packets = Math.max(1, Math.ceil(room / DOTS));
    const laneOf = (flow) => lanes.findIndex(({ flows }) => flows.includes(flow));
    const { queues, losses, marks } = framesOf(log, laneOf, packets);
    const [begin_s, end_s] = [this.begin_s, this.end_s];
    return {
      name, kind, lanes, strips: stripsOf(queues, kind, lanes, room / packets), losses, marks, backlog, limit, room, packets,
      history: historyOf({ backlog, losses, marks }, begin_s, end_s), others: othersOf(plan.run, measurement), elsewhere: elsewhereOf(plan),
      line: lineOf(plan.run, end_s),
      at_s: measurement.bottleneck.series.at_ns.map((at) => at / NANOS_PER_S), begin_s, end_s,
    };
  }

  /** A flow each, or a group each: its name, its flows, its look and its round-trip time. */
  #lanes({ run, groups, names, styles }) {
    const all = run.flows.length <= MOST_LANES ? run.flows.map((_, flow) => [flow]) : groups.map(({ flows }) => flows);
    const members = all.map((flows) => flows.filter((flow) => passesBottleneck(run.flows[flow], run.path))).filter(({ length }) => length);
    const lines = linesOf(this.explorer.skeletons, members.map(([first]) => styles[first]));
    return members.map((flows, lane) => {
      const [first] = flows;
      const { forward_delay_ns, return_delay_ns } = run.flows[first];
      const isAlone = flows.length > 1 || names.indexOf(names[first]) === names.lastIndexOf(names[first]);
      return {
        flows, name: isAlone ? names[first] : `${names[first]} ${first}`, colour: lines[lane].stroke,
        rtt_s: (forward_delay_ns + return_delay_ns) / NANOS_PER_S,
      };
    });
  }

  /** Goes on with the next frame, while somebody watches: whoever does not has the processor for the simulation. */
  #go() {
    if (this.isAwaited || !this.stretch || !this.isRunning || byId("view-play").hidden) return;
    this.isAwaited = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now) {
    this.isAwaited = false;
    const passed_s = Math.min(0.1, (now - this.last) / 1e3);
    this.last = now;
    this.at_s += passed_s / Number(this.slower.value);
    if (this.at_s > this.end_s) this.at_s = this.begin_s;
    this.#draw();
    this.#go();
  }

  #draw() {
    const { stretch, at_s } = this;
    const at = Math.max(0, firstAbove(stretch.at_s, at_s) - 1);
    this.scene.draw(stretch, at_s, at);
    this.instant.value = String(Math.round((INSTANTS * (at_s - this.begin_s)) / (this.end_s - this.begin_s)));
    const { backlog, limit, losses, marks } = stretch;
    const waiting = backlog.packets[firstAbove(backlog.at_s, at_s) - 1] ?? 0;
    const rate_bps = stretch.line?.rateAt(at_s);
    const until = (events) => firstAbove(events, at_s, (event) => event.at_s);
    byId("play-text").textContent = `${at_s.toFixed(3)} s · ${countedNoun(waiting, "packet")} wait, ${((100 * waiting) / limit).toFixed(0)} % of the room`
      + (rate_bps === undefined ? "" : rate_bps ? ` · the line carries ${rateText(rate_bps)}` : " · the line is out")
      + stretch.others.map(({ name, waiting: own }) => ` · ${own[at]} in ${name}`).join("")
      + ` · since ${this.begin_s.toFixed(1)} s ${until(losses)} dropped ×, ${until(marks)} marked ○`
      + `${stretch.packets > 1 ? ` · a dot is ${stretch.packets} packets` : ""} · lengths of lines are not to scale`
      + `${stretch.elsewhere.length ? ` · not drawn: ${stretch.elsewhere.join(", ")}, whose data pass other queues` : ""}`;
    this.instant.setAttribute("aria-valuetext", `${amount(at_s)} s, ${waiting} packets wait, ${until(losses)} dropped, ${until(marks)} marked`);
  }
}

/** The queues but for the bottleneck: which side of it each is on, of how many, what waits in it and how full it is in parts of its room. */
function othersOf(run, { hops = [] }) {
  const { bottleneck = 0 } = run.path;
  const queues = linesOfRun(run).map(({ line, direction }, at) => (
    { line, at, side: direction === "up" ? "back" : at < bottleneck ? "before" : "behind" }));
  return queues.filter(({ at }) => hops.length && at !== bottleneck).map(({ line: { buffer }, at, side }) => {
    const own = queues.filter((each) => each.side === side && each.at !== bottleneck);
    const { backlog_bytes, backlog_packets } = hops[at].queue.series;
    const place = own.findIndex((each) => each.at === at);
    return {
      name: hops[at].name, side, place: side === "back" ? own.length - 1 - place : place, count: own.length, waiting: backlog_packets,
      fullness: buffer.bytes ? backlog_bytes.map((bytes) => bytes / buffer.bytes) : backlog_packets.map((count) => count / buffer.packets),
    };
  });
}

/** The bottleneck's line, if its rate changes: what that is at an instant, and the most in the stretch up to `end_s`; else null. */
function lineOf(run, end_s) {
  const { line } = linesOfRun(run)[run.path.bottleneck ?? 0];
  const carried = capacityInTime(line, end_s * NANOS_PER_S, run.path.mtu_bytes);
  if (!carried) return null;
  const lately_s = isRecordedByPacket(line) ? LATELY_S.packets : LATELY_S.rates;
  const rateAt = (at_s) => {
    const [before, now] = counted(carried, [Math.max(0, at_s - lately_s), at_s]);
    return (BYTE_BITS * (now - before)) / Math.min(lately_s, Math.max(at_s, FINEST_S));
  };
  const most_bps = Math.max(...edges(end_s - SPAN_S, end_s, lately_s).map(rateAt), 1);
  return { rateAt, most_bps };
}

/** The groups of which no flow's data pass the bottleneck. */
function elsewhereOf({ run, groups }) {
  return groups.filter(({ flows }) => !flows.some((flow) => passesBottleneck(run.flows[flow], run.path))).map(({ name }) => name);
}
