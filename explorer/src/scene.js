/** Drawing packets: from the senders into the queue, through the line, and back as ACKs; below it how full the queue was. A dot is a
 * packet or several; what was marked has a ring, and what is dropped falls down as a cross. */

import { penOf } from "./dom.js";
import { firstAbove, NOBODY } from "./frames.js";
import { listOf } from "./queues.js";
import { rateText } from "./sentences.js";

/** Height of the picture, pixels, and of the queue's history in it. */
const HEIGHT = 430;
const HISTORY = 110;
/** Parts of a round trip that a dot takes to the queue, through the line and back. */
const PARTS = { come: 0.2, line: 0.25, back: 0.55 };
/** Rows of dots in a queue, and the fewest in one of several; the line of its name, pixels. */
const ROWS = 10;
const FEWEST_ROWS = 2;
const NAME = 17;
/** Of what is dropped at once; more are told by their number. */
const MOST_CROSSES = 8;
const SIZE = 5;
/** Half of what a dot that waits takes, pixels. */
const DOT = { least: 2.5, most: 9 };
/** Pixels that a cross or a ring takes in the history. */
const TICK = 7;
/** The line at its fastest, pixels. */
const THICK = 24;
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
    Object.assign(this, { stretch, at_s, at, frame: frameOf(width, stretch.lanes.length, stretch.strips) });
    this.lately_s = PARTS.back * Math.max(...stretch.lanes.map(({ rtt_s }) => rtt_s));
    this.#labels();
    this.#others();
    stretch.strips.forEach((strip, number) => {
      this.#moving(strip, this.frame.strips[number]);
      this.#waiting(strip, this.frame.strips[number]);
    });
    this.#lately();
    this.#history();
  }

  #labels() {
    const { pen, ink, frame, stretch } = this;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    pen.fillText(`${stretch.name || "queue"}${stretch.kind === "fifo" ? "" : `: ${stretch.kind}`}`, frame.left, frame.top - 10, frame.right - frame.left);
    pen.textAlign = "right";
    pen.fillText("receivers", frame.width - 8, frame.top - 10);
    pen.textAlign = "left";
    pen.fillText("senders", 8, frame.top - 10);
    pen.strokeStyle = ink.rule;
    pen.lineWidth = 2;
    frame.strips.forEach(({ top, bottom }, number) => {
      const { name } = stretch.strips[number];
      pen.strokeRect(frame.left, top, frame.right - frame.left, bottom - top);
      pen.fillStyle = ink.faint;
      const list = listOf(stretch.strips[number], this.at_s);
      if (name) pen.fillText(list ? `${name} · ${list}` : name, frame.left + 4, top + NAME - 5, frame.right - frame.left - 8);
    });
    stretch.lanes.forEach(({ name, colour }, lane) => {
      this.#dot(lane, colour, 14, frame.lanes[lane], SIZE + 2);
      pen.fillStyle = ink.ink;
      pen.fillText(name, 26, frame.lanes[lane] + 5, frame.left - 40);
    });
    pen.fillStyle = ink.faint;
    pen.fillText("ACKs", 8, frame.back + 18);
    if (stretch.line) this.#line();
  }

  /** A line whose rate changes: as thick as it is fast at this moment. */
  #line() {
    const { pen, ink, frame, stretch: { line }, at_s } = this;
    const rate_bps = line.rateAt(at_s);
    const middle = (frame.top + frame.bottom) / 2;
    pen.fillStyle = rate_bps ? ink.ink : ink.bad;
    pen.fillText(rate_bps ? rateText(rate_bps) : "line is out", frame.right + 10, frame.top + 8, frame.width - frame.right - 14);
    if (!rate_bps) return;
    pen.fillStyle = ink.rule;
    const thick = Math.max(1, (THICK * rate_bps) / line.most_bps);
    pen.fillRect(frame.right, middle - thick / 2, frame.width - 14 - frame.right, thick);
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

  /** Arrivals at a queue, what is on the line, and what goes back. */
  #moving({ queues }, { middle }) {
    const { stretch: { lanes }, at_s, frame } = this;
    const longest_s = Math.max(...lanes.map(({ rtt_s }) => rtt_s));
    for (const { owners, came_s, left_s, marked_s, isLost } of queues) {
      const end = firstAbove(came_s, at_s + PARTS.come * longest_s);
      for (let k = firstAbove(left_s, at_s - longest_s); k < end; k += 1) {
        const lane = owners[k];
        if (lane === NOBODY) continue;
        const { rtt_s, colour } = lanes[lane];
        const draw = (x, y, size = SIZE) => this.#dot(lane, colour, x, y, size, marked_s[k] <= at_s);
        const y = frame.lanes[lane];
        const coming = 1 - (came_s[k] - at_s) / (PARTS.come * rtt_s);
        const gone = isLost[k] ? -1 : (at_s - left_s[k]) / (PARTS.line * rtt_s);
        const back = isLost[k] ? -1 : (at_s - left_s[k] - PARTS.line * rtt_s) / (PARTS.back * rtt_s);
        if (came_s[k] > at_s && coming >= 0) draw(between(frame.names, frame.left - 8, coming), between(y, middle, coming));
        else if (gone >= 0 && gone < 1) draw(between(frame.right + 8, frame.width - 14, gone), between(middle, y, gone));
        else if (back >= 0 && back < 1) {
          this.pen.globalAlpha = 0.6;
          draw(between(frame.width - 14, 50, back), frame.back + 12 * lane / lanes.length, SIZE - 2);
          this.pen.globalAlpha = 1;
        }
      }
    }
  }

  /** A queue fills from the right, where it leaves, in columns. */
  #waiting({ queues, room_dots, name }, { top, bottom, rows }) {
    const { stretch: { lanes }, at_s, frame, ink } = this;
    const columns = Math.max(1, Math.ceil(room_dots / rows));
    const inner = top + (name ? NAME : 0);
    const [across, down] = [(frame.right - frame.left) / columns, (bottom - inner) / rows];
    const size = Math.max(DOT.least, Math.min(DOT.most, Math.min(across, down) * 0.36));
    let place = 0;
    for (const { owners, came_s, left_s, marked_s } of queues) {
      const end = firstAbove(came_s, at_s);
      for (let k = firstAbove(left_s, at_s); k < end && place < columns * rows; k += 1, place += 1) {
        const [column, row] = [Math.floor(place / rows), place % rows];
        const [x, y] = [frame.right - (column + 0.5) * across, bottom - (row + 0.5) * down];
        this.#dot(owners[k], lanes[owners[k]]?.colour ?? ink.faint, x, y, size, marked_s[k] <= at_s);
      }
    }
  }

  /** What was dropped lately falls down, before a queue that refused it or behind one in which it waited; and how much was marked. */
  #lately() {
    const { stretch, frame, pen, ink } = this;
    const dropped = this.#recent(stretch.losses);
    pen.strokeStyle = ink.bad;
    pen.lineWidth = 2.5;
    dropped.slice(-MOST_CROSSES).forEach(({ at_s, queue, isRefused }, each) => {
      const age = (this.at_s - at_s) / this.lately_s;
      const from = frame.strips[stretch.strips.findIndex(({ numbers }) => numbers.includes(queue))] ?? frame.strips[0];
      const x = isRefused ? frame.left - 14 - 9 * (each % 3) : frame.right + 14 + 9 * (each % 3);
      pen.globalAlpha = 1 - age;
      this.#cross(x, between(from.middle, frame.bottom + 8, age ** 2), SIZE);
    });
    pen.globalAlpha = 1;
    const marked = this.#recent(stretch.marks).length;
    const texts = [[dropped.length, "dropped", ink.bad, "right", frame.left - 6], [marked, "marked", ink.ink, "left", frame.right + 6]];
    for (const [count, what, colour, align, x] of texts) {
      if (!count) continue;
      pen.fillStyle = colour;
      pen.textAlign = align;
      pen.fillText(`${count} ${what}`, x, frame.bottom + 16);
    }
    pen.textAlign = "left";
  }

  /** The events of the last part of a round trip. */
  #recent(events) {
    const until = (at_s) => firstAbove(events, at_s, (event) => event.at_s);
    return events.slice(until(this.at_s - this.lately_s), until(this.at_s));
  }

  /** How full the queue was in all of the stretch, when it dropped and marked, and where in it this is. */
  #history() {
    const { stretch, at_s, frame: { width }, pen, ink } = this;
    const { history, begin_s, end_s, room } = stretch;
    const [left, right, top, bottom] = [8, width - 8, HEIGHT - HISTORY + 26, HEIGHT - 8];
    const x = (part) => left + (right - left) * part;
    pen.fillStyle = ink.ink;
    const key = ["dropped ×", "marked ○"].filter((_, at) => [stretch.losses, stretch.marks][at].length).join(", ");
    const carries = stretch.line ? `; dashed: what the line carries, of ${rateText(stretch.line.most_bps)}` : "";
    const said = `how full ${stretch.name || "the queue"} is, ${begin_s.toFixed(1)} to ${end_s.toFixed(1)} s${key && `; ${key}`}${carries}`;
    pen.fillText(said, left, top - 8, right - left);
    pen.fillStyle = ink.rule;
    pen.beginPath();
    pen.moveTo(left, bottom);
    history.forEach(({ most }, at) => pen.lineTo(x(at / history.length), bottom - (bottom - top) * Math.min(1, most / room)));
    pen.lineTo(right, bottom);
    pen.fill();
    pen.lineWidth = 1.5;
    if (stretch.line) {
      const { rateAt, most_bps } = stretch.line;
      pen.strokeStyle = ink.faint;
      pen.setLineDash([5, 3]);
      pen.beginPath();
      history.forEach((_, at) => {
        const part = (at + 0.5) / history.length;
        pen.lineTo(x(part), bottom - ((bottom - top) * rateAt(between(begin_s, end_s, part))) / most_bps);
      });
      pen.stroke();
      pen.setLineDash([]);
    }
    this.#ticks("dropped", (at) => {
      pen.strokeStyle = ink.bad;
      this.#cross(x(at), top + 4, 3);
    });
    this.#ticks("marked", (at) => {
      pen.strokeStyle = ink.ink;
      pen.beginPath();
      pen.arc(x(at), top + 14, 2.5, 0, 2 * Math.PI);
      pen.stroke();
    });
    pen.strokeStyle = ink.faint;
    pen.lineWidth = 1;
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.strokeStyle = ink.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x((at_s - begin_s) / (end_s - begin_s)), top - 4);
    pen.lineTo(x((at_s - begin_s) / (end_s - begin_s)), bottom);
    pen.stroke();
  }

  /** Draws each part of the history in which something was, as far as they do not hide one another. */
  #ticks(what, draw) {
    const { history } = this.stretch;
    const apart = Math.ceil((TICK * history.length) / this.frame.width);
    let last = -apart;
    history.forEach((bin, at) => {
      if (!bin[what] || at - last < apart) return;
      last = at;
      draw((at + 0.5) / history.length);
    });
  }

  #cross(x, y, size) {
    const { pen } = this;
    pen.beginPath();
    for (const slope of [-1, 1]) {
      pen.moveTo(x - size, y - slope * size);
      pen.lineTo(x + size, y + slope * size);
    }
    pen.stroke();
  }

  /** A dot of a lane: its colour, and a shape of its own; with a ring where it was marked. */
  #dot(lane, colour, x, y, size, isMarked = false) {
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
    if (!isMarked) return;
    pen.strokeStyle = this.ink.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(x, y, size + 2.5, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** Where things stand in a picture of a width: the queues below one another, as high as there is room. */
function frameOf(width, lanes, strips) {
  const [top, bottom] = [32, HEIGHT - HISTORY - 60];
  const [left, right] = [Math.round(0.3 * width), Math.round(0.68 * width)];
  const up = (bottom - top) / strips.length;
  return {
    width, top, bottom, left, right, back: bottom + 32, names: Math.min(0.2 * width, 110),
    lanes: Array.from({ length: lanes }, (_, lane) => top + ((bottom - top) * (lane + 0.5)) / lanes),
    strips: strips.map((_, at) => ({
      top: top + at * up, bottom: top + (at + 1) * up, middle: top + (at + 0.5) * up,
      rows: Math.max(FEWEST_ROWS, Math.floor(ROWS / strips.length)),
    })),
  };
}

const between = (from, to, part) => from + (to - from) * part;
