/** The path with its packets, slowed down. Nothing is traced: a queue is first in, first out, so that what stands in it is what
 * leaves it next, and what each flow has sent through the bottleneck is in its counters. */

import { byId, made } from "./dom.js";
import { planned } from "./experiment.js";
import { NANOS_PER_S } from "./gauges.js";

/** A stretch of the run, seconds. */
const SPAN_S = 2;
const MOST_SAMPLES = 4_000;
/** How much slower than it was. */
const SLOWER = [1, 4, 10, 30];
/** Marks of a full queue: each is as many packets as it takes. */
const MARKS = 60;

/** The picture and its controls. */
export class Player {
  constructor(explorer) {
    this.explorer = explorer;
    this.canvas = byId("play");
    this.at_s = 0;
    this.isRunning = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.button = made("button", { type: "button", click: () => this.#toggle() }, "Pause");
    this.from = made("input", { type: "range", min: 0, max: 100, value: 30, "aria-label": "Where in the run", change: () => explorer.write(explorer.text) });
    this.slower = made("select", { "aria-label": "How much slower" }, ...SLOWER.map((factor) => made("option", { value: factor, selected: factor === 10 }, `${factor} times slower`)));
    byId("play-controls").append(this.button, made("label", {}, "From ", this.from), this.slower);
    this.last = 0;
    requestAnimationFrame((now) => this.#frame(now));
  }

  #toggle() {
    this.isRunning = !this.isRunning;
    this.button.textContent = this.isRunning ? "Pause" : "Play";
  }

  /** Simulates the stretch with samples fine enough to be watched. */
  async run(signal) {
    const { explorer } = this;
    const { run } = explorer.shown;
    const duration_s = Number(run.duration_ns) / NANOS_PER_S;
    this.begin_s = (Math.max(0, duration_s - SPAN_S) * Number(this.from.value)) / 100;
    const end_s = Math.min(duration_s, this.begin_s + SPAN_S);
    const plan = planned(explorer.experiment, explorer.tables, { sample_s: Math.max(0.0005, end_s / MOST_SAMPLES), until_s: end_s + 1 });
    const measurement = await explorer.measured(plan, { signal });
    this.plan = plan;
    this.end_s = end_s;
    this.at_s = this.begin_s;
    this.queue = measurement.bottleneck.series;
    this.flows = measurement.flows.map(({ series }) => series);
    this.frame_bytes = run.path.mtu_bytes + 14;
    this.room = run.path.buffer.bytes === undefined ? Number(run.path.buffer.packets) * this.frame_bytes : Number(run.path.buffer.bytes);
    this.perMark = Math.max(1, Math.ceil(this.room / this.frame_bytes / MARKS));
    this.colours = plan.styles.map((style, flow) => explorer.skeletons.looks[style]?.[Math.min(flow, 7)].line.stroke ?? "#777777");
    this.button.textContent = this.isRunning ? "Pause" : "Play";
    this.#draw();
  }

  #frame(now) {
    const passed_s = Math.min(0.1, (now - this.last) / 1e3);
    this.last = now;
    if (this.plan && this.isRunning && !byId("view-play").hidden) {
      this.at_s += passed_s / Number(this.slower.value);
      if (this.at_s > this.end_s) this.at_s = this.begin_s;
      this.#draw();
    }
    requestAnimationFrame((next) => this.#frame(next));
  }

  /** The last sample at an instant. */
  #index(at_ns, at_s) {
    let [low, high] = [0, at_ns.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (at_ns[middle] <= at_s * NANOS_PER_S) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Whose frames leave the bottleneck from an instant on, in their order, as many as make up so many bytes. */
  #leaving(at, bytes) {
    const owners = [];
    const step = this.perMark * this.frame_bytes;
    const carried = this.flows.map(() => 0);
    for (let i = at; i + 1 < this.queue.at_ns.length && owners.length * step < bytes; i += 1) {
      this.flows.forEach((series, flow) => {
        const j = Math.min(i + 1, series.bottleneck_bytes.length - 1);
        carried[flow] += Math.max(0, series.bottleneck_bytes[j] - series.bottleneck_bytes[Math.min(i, j)]);
        while (carried[flow] >= step && owners.length * step < bytes) {
          owners.push(flow);
          carried[flow] -= step;
        }
      });
    }
    return owners;
  }

  #draw() {
    const { canvas, at_s, queue } = this;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const [ink, faint, rule] = ["--ink", "--faint", "--rule"].map((name) => style.getPropertyValue(name));
    const [width, height] = [canvas.width, canvas.height];
    context.clearRect(0, 0, width, height);
    context.font = "15px sans-serif";
    const at = this.#index(queue.at_ns, at_s);
    const backlog = queue.backlog_bytes[at];
    const [left, right, top, bottom] = [260, 620, 90, 300];
    context.fillStyle = ink;
    context.fillText("senders", 20, 60);
    context.fillText("the queue", left, 60);
    context.fillText("the line", right + 20, 60);
    context.fillText("receivers", width - 100, 60);
    context.strokeStyle = rule;
    context.lineWidth = 2;
    context.strokeRect(left, top, right - left, bottom - top);
    // The queue fills from the right, where it leaves, in columns of ten marks.
    const owners = this.#leaving(at, backlog);
    const rows = 10;
    const columns = Math.ceil(MARKS / rows);
    const [across, down] = [(right - left) / columns, (bottom - top) / rows];
    owners.slice(0, MARKS + rows).forEach((flow, mark) => {
      const [column, row] = [Math.floor(mark / rows), mark % rows];
      this.#mark(context, flow, right - (column + 0.5) * across, bottom - (row + 0.5) * down, Math.min(across, down) * 0.36);
    });
    // What has left within the last tenth of a round trip is on the line.
    const rtt_s = Number(this.plan.run.flows[0].return_delay_ns + this.plan.run.flows[0].forward_delay_ns) / NANOS_PER_S || 0.02;
    const shown_s = rtt_s / 2;
    this.flows.forEach((series, flow) => {
      const y = top + 30 + ((bottom - top - 60) * (flow + 0.5)) / this.flows.length;
      const lane = (counter, from, to, row, alpha) => {
        const first = this.#index(series.at_ns, at_s - shown_s);
        const last = this.#index(series.at_ns, at_s);
        const step = this.perMark * this.frame_bytes;
        context.globalAlpha = alpha;
        for (let i = first; i < last; i += 1) {
          const marks = Math.floor(series[counter][i + 1] / step) - Math.floor(series[counter][i] / step);
          for (let mark = 0; mark < Math.min(marks, 3); mark += 1) {
            const part = (at_s - series.at_ns[i + 1] / NANOS_PER_S + (mark * shown_s) / 400) / shown_s;
            if (part >= 0 && part <= 1) this.#mark(context, flow, from + (to - from) * part, row, 4);
          }
        }
        context.globalAlpha = 1;
      };
      lane("bottleneck_bytes", right + 10, width - 40, y, 1);
      lane("delivered_bytes", width - 40, 40, height - 40 - 16 * (this.flows.length - flow), 0.55);
      this.#mark(context, flow, 40, y, 7);
      context.fillStyle = ink;
      context.fillText(this.plan.names[flow], 54, y + 5);
    });
    context.fillStyle = faint;
    context.fillText("ACKs", 20, height - 20);
    const drops = queue.dropped_packets[at] - queue.dropped_packets[this.#index(queue.at_ns, at_s - rtt_s)];
    if (drops) {
      context.fillStyle = style.getPropertyValue("--bad");
      context.fillText(`✕ ${drops} dropped`, left - 130, top + 20);
    }
    byId("play-told").textContent = `${at_s.toFixed(3)} s · ${Math.round(backlog / this.frame_bytes)} packets wait, ${((100 * backlog) / this.room).toFixed(0)} % of the room${this.perMark > 1 ? ` · a mark is ${this.perMark} packets` : ""}`;
  }

  /** A mark of a flow: its colour, and a shape of its own. */
  #mark(context, flow, x, y, size) {
    context.fillStyle = this.colours[flow];
    context.beginPath();
    if (flow % 3 === 0) context.arc(x, y, size, 0, 2 * Math.PI);
    else if (flow % 3 === 1) context.rect(x - size, y - size, 2 * size, 2 * size);
    else {
      context.moveTo(x, y - size);
      context.lineTo(x + size, y + size);
      context.lineTo(x - size, y + size);
    }
    context.fill();
  }
}
