/** Drawing packets: from the senders into the queue, through the line, and back as ACKs; below it how full the queue was. */

import { penOf } from "./dom.js";
import { firstAbove } from "./marks.js";

/** Height of the picture, pixels, and of the queue's history in it. */
const HEIGHT = 430;
const HISTORY = 110;
/** Parts of a round trip that a mark takes to the queue, through the line and back. */
const PARTS = { come: 0.2, line: 0.25, back: 0.55 };
/** Rows of marks in the queue. */
const ROWS = 10;
/** Of what is dropped at once; more are told by their number. */
const MOST_CROSSES = 8;
const SIZE = 5;
/** Another queue of the path, pixels; on the way back one that lies down. */
const OTHER = { width: 22, height: 90 };

/** A canvas that is drawn in pixels of the screen. */
export class Scene {
  constructor(canvas) {
    this.canvas = canvas;
    canvas.style.height = `${HEIGHT}px`;
  }

  /** Draws an instant; `stretch`: what the player knows, `at`: its last sample. */
  draw(stretch, at_s, at) {
    const { canvas } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    const style = getComputedStyle(document.documentElement);
    this.ink = Object.fromEntries(["ink", "faint", "rule", "bad"].map((name) => [name, style.getPropertyValue(`--${name}`)]));
    const pen = penOf(canvas, width, HEIGHT);
    this.pen = pen;
    pen.font = `${width < 600 ? 12 : 14}px sans-serif`;
    Object.assign(this, { stretch, at_s, at, frame: frameOf(width, stretch.lanes.length) });
    this.#labels();
    this.#others();
    this.#moving();
    this.#waiting();
    this.#dropped();
    this.#history();
  }

  #labels() {
    const { pen, ink, frame, stretch } = this;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    pen.fillText(stretch.name || "queue", frame.left, frame.top - 10);
    pen.textAlign = "right";
    pen.fillText("receivers", frame.width - 8, frame.top - 10);
    pen.textAlign = "left";
    pen.fillText("senders", 8, frame.top - 10);
    pen.strokeStyle = ink.rule;
    pen.lineWidth = 2;
    pen.strokeRect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
    stretch.lanes.forEach(({ name, colour }, lane) => {
      this.#mark(lane, colour, 14, frame.lanes[lane], SIZE + 2);
      pen.fillStyle = ink.ink;
      pen.fillText(name, 26, frame.lanes[lane] + 5, frame.left - 40);
    });
    pen.fillStyle = ink.faint;
    pen.fillText("ACKs", 8, frame.back + 18);
  }

  /** The other queues, as full as they are: before and behind the bottleneck, and on the way back. */
  #others() {
    const { pen, ink, frame, stretch, at } = this;
    const { left, right, width, names } = frame;
    const ends = { before: [names, left - 8], behind: [right + 8, width - 14], back: [50, width - 14] };
    for (const { name, side, place, count, fullness } of stretch.others) {
      const x = between(...ends[side], (place + 0.5) / count);
      const [across, up] = side === "back" ? [OTHER.height, OTHER.width] : [OTHER.width, OTHER.height];
      const [from, top] = [x - across / 2, (side === "back" ? frame.back + 4 : (frame.top + frame.bottom) / 2) - up / 2];
      const full = Math.min(1, fullness[at] ?? 0);
      pen.fillStyle = ink.rule;
      // What waits stands where it leaves: at the bottom, and on the way back at the left.
      if (side === "back") pen.fillRect(from, top, across * full, up);
      else pen.fillRect(from, top + up * (1 - full), across, up * full);
      pen.strokeStyle = ink.faint;
      pen.lineWidth = 1.5;
      pen.strokeRect(from, top, across, up);
      pen.fillStyle = ink.ink;
      pen.textAlign = "center";
      pen.fillText(name, x, side === "back" ? top + up + 16 : top - 6, (ends[side][1] - ends[side][0]) / count);
    }
    pen.textAlign = "left";
  }

  /** What comes to the queue, what is on the line, and what goes back. */
  #moving() {
    const { stretch: { marks, lanes }, at_s, frame } = this;
    const longest_s = Math.max(...lanes.map(({ rtt_s }) => rtt_s));
    const end = firstAbove(marks.came_s, at_s + PARTS.come * longest_s);
    for (let k = firstAbove(marks.left_s, at_s - longest_s); k < end; k += 1) {
      const [lane, came_s, left_s] = [marks.owner[k], marks.came_s[k], marks.left_s[k]];
      if (!lanes[lane]) continue;
      const { rtt_s, colour } = lanes[lane];
      const draw = (x, y, size = SIZE) => this.#mark(lane, colour, x, y, size);
      const [y, middle] = [frame.lanes[lane], (frame.top + frame.bottom) / 2];
      const coming = 1 - (came_s - at_s) / (PARTS.come * rtt_s);
      const gone = (at_s - left_s) / (PARTS.line * rtt_s);
      const back = (at_s - left_s - PARTS.line * rtt_s) / (PARTS.back * rtt_s);
      if (came_s > at_s && coming >= 0) draw(between(frame.names, frame.left - 8, coming), between(y, middle, coming));
      else if (gone >= 0 && gone < 1) draw(between(frame.right + 8, frame.width - 14, gone), between(middle, y, gone));
      else if (back >= 0 && back < 1) {
        this.pen.globalAlpha = 0.6;
        draw(between(frame.width - 14, 50, back), frame.back + 12 * lane / lanes.length, SIZE - 2);
        this.pen.globalAlpha = 1;
      }
    }
  }

  /** The queue fills from the right, where it leaves, in columns. */
  #waiting() {
    const { stretch: { marks, lanes, room_marks }, at_s, frame, ink } = this;
    const [first, end] = [firstAbove(marks.left_s, at_s), firstAbove(marks.came_s, at_s)];
    const columns = Math.max(1, Math.ceil(room_marks / ROWS));
    const [across, down] = [(frame.right - frame.left) / columns, (frame.bottom - frame.top) / ROWS];
    const size = Math.min(9, Math.min(across, down) * 0.36);
    for (let k = first; k < Math.min(end, first + columns * ROWS); k += 1) {
      const [column, row] = [Math.floor((k - first) / ROWS), (k - first) % ROWS];
      const lane = marks.owner[k];
      this.#mark(lane, lanes[lane]?.colour ?? ink.faint, frame.right - (column + 0.5) * across, frame.bottom - (row + 0.5) * down, size);
    }
  }

  /** What the queue has refused lately falls down before it. */
  #dropped() {
    const { stretch, at_s, at, frame, pen, ink } = this;
    const lately_s = PARTS.back * Math.max(...stretch.lanes.map(({ rtt_s }) => rtt_s));
    let count = 0;
    pen.strokeStyle = ink.bad;
    pen.lineWidth = 2.5;
    for (let i = at; i > 0 && stretch.at_s[i] > at_s - lately_s; i -= 1) {
      const dropped = stretch.dropped_packets[i] - stretch.dropped_packets[i - 1];
      if (!dropped) continue;
      const age = (at_s - stretch.at_s[i]) / lately_s;
      const y = between((frame.top + frame.bottom) / 2, frame.bottom + 8, age ** 2);
      pen.globalAlpha = 1 - age;
      for (let each = 0; each < Math.min(dropped, MOST_CROSSES - count); each += 1) {
        const x = frame.left - 14 - 9 * (each % 3);
        pen.beginPath();
        for (const slope of [-1, 1]) {
          pen.moveTo(x - SIZE, y - slope * SIZE);
          pen.lineTo(x + SIZE, y + slope * SIZE);
        }
        pen.stroke();
      }
      count += dropped;
    }
    pen.globalAlpha = 1;
    if (!count) return;
    pen.fillStyle = ink.bad;
    pen.textAlign = "right";
    pen.fillText(`${count} dropped`, frame.left - 6, frame.bottom + 16);
    pen.textAlign = "left";
  }

  /** How full the queue was in the whole stretch, when it dropped, and where in it this is. */
  #history() {
    const { stretch, at_s, frame: { width }, pen, ink } = this;
    const [left, right, top, bottom] = [8, width - 8, HEIGHT - HISTORY + 26, HEIGHT - 8];
    const x = (time_s) => left + ((right - left) * (time_s - stretch.begin_s)) / (stretch.end_s - stretch.begin_s);
    const y = (bytes) => bottom - ((bottom - top) * bytes) / stretch.room_bytes;
    const [first, end] = [firstAbove(stretch.at_s, stretch.begin_s), firstAbove(stretch.at_s, stretch.end_s)];
    pen.fillStyle = ink.ink;
    pen.fillText(`how full ${stretch.name || "the queue"} is, ${stretch.begin_s.toFixed(1)} to ${stretch.end_s.toFixed(1)} s`, left, top - 8);
    pen.fillStyle = ink.rule;
    pen.beginPath();
    pen.moveTo(left, bottom);
    for (let i = first; i < end; i += 1) pen.lineTo(x(stretch.at_s[i]), y(stretch.backlog_bytes[i]));
    pen.lineTo(x(stretch.at_s[Math.max(first, end - 1)]), bottom);
    pen.fill();
    pen.fillStyle = ink.bad;
    for (let i = Math.max(1, first); i < end; i += 1) {
      if (stretch.dropped_packets[i] > stretch.dropped_packets[i - 1]) pen.fillRect(x(stretch.at_s[i]) - 1, top - 4, 2, 6);
    }
    pen.strokeStyle = ink.faint;
    pen.lineWidth = 1;
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.strokeStyle = ink.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x(at_s), top - 4);
    pen.lineTo(x(at_s), bottom);
    pen.stroke();
  }

  /** A mark of a lane: its colour, and a shape of its own. */
  #mark(lane, colour, x, y, size) {
    const { pen } = this;
    pen.fillStyle = colour;
    pen.beginPath();
    if (lane % 3 === 0) pen.arc(x, y, size, 0, 2 * Math.PI);
    else if (lane % 3 === 1) pen.rect(x - 0.88 * size, y - 0.88 * size, 1.76 * size, 1.76 * size);
    else {
      pen.moveTo(x, y - size);
      pen.lineTo(x + size, y + size);
      pen.lineTo(x - size, y + size);
    }
    pen.fill();
  }
}

/** Where things stand in a picture of a width. */
function frameOf(width, lanes) {
  const [top, bottom] = [32, HEIGHT - HISTORY - 60];
  const [left, right] = [Math.round(0.3 * width), Math.round(0.68 * width)];
  return {
    width, top, bottom, left, right, back: bottom + 32, names: Math.min(0.2 * width, 110),
    lanes: Array.from({ length: lanes }, (_, lane) => top + ((bottom - top) * (lane + 0.5)) / lanes),
  };
}

const between = (from, to, part) => from + (to - from) * part;
