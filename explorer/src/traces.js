/** The lines of a chart in time, on a canvas over the axes that Vega draws. A view of Vega takes in
 * each point by itself, and thousands of them in about the time of their simulation; a canvas strokes them at once. How a line
 * looks is the chart's description all the same, and what is exported is drawn by Vega. */

import { made, penOf } from "./dom.js";

/** What the axes of a chart need of its lines: the highest point of each. One point of a line is not seen. */
export function withoutLines(spec) {
  const concat = spec.concat.map((panel) => ({ ...panel, layer: panel.layer.map((layer) => (
    isTrace(layer) ? { ...layer, data: { ...layer.data, values: [highest(layer.data.values)] } } : layer)) }));
  return { ...spec, concat };
}

const isTrace = ({ data }) => data?.name !== undefined;
const highest = (rows) => rows.reduce((most, row) => (row.y > most.y ? row : most));

/** The canvas. */
export class Traces {
  constructor(place) {
    this.place = place;
    this.canvas = made("canvas", { className: "traces", "aria-hidden": "true" });
  }

  /** Another view of Vega is below; `themed` is its description, with the colours that are seen. */
  over(view, themed) {
    this.view = view;
    this.themed = themed;
    this.place.append(this.canvas);
    const again = () => requestAnimationFrame(() => this.#draw());
    const { signals } = view.getState({ signals: () => true, data: () => false });
    this.signals = ["zoom", "picked"].filter((name) => name in signals);
    for (const name of this.signals) view.addSignalListener(name, again);
  }

  /** Draws a spec's lines. */
  show(spec) {
    this.spec = spec;
    this.#draw();
  }

  #draw() {
    const { view, spec, canvas } = this;
    const { width, height } = this.place.querySelector("canvas:not(.traces)").getBoundingClientRect();
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    const pen = penOf(canvas, width, height);
    const picked = this.signals.includes("picked") ? view.signal("picked").label : undefined;
    spec.concat.forEach((panel, number) => {
      const frame = figures.frameOf(view, spec, number);
      pen.save();
      pen.beginPath();
      pen.rect(frame.left, frame.top, frame.width, frame.height);
      pen.clip();
      panel.layer.filter(isTrace).forEach(({ data }, at) => {
        const label = spec.usermeta.panels[number].layers[at];
        pen.globalAlpha = !picked || picked.includes(label) ? 1 : 0.1;
        stroke(pen, data.values, frame, this.themed.concat[number].layer.filter(isTrace)[at].layer[0].mark);
      });
      pen.restore();
    });
  }
}

function stroke(pen, rows, { left, top, across, up }, { color, strokeWidth, strokeDash = [] }) {
  pen.strokeStyle = color;
  pen.lineWidth = strokeWidth;
  pen.setLineDash(strokeDash);
  pen.beginPath();
  for (const { x, y } of rows) pen.lineTo(left + across(x), top + up(y));
  pen.stroke();
}
