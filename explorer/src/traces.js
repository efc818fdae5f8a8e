/** The lines of a chart in time, on a canvas over the axes that Vega draws. A view of Vega takes in a point in ten
 * microseconds, and so thousands of them in longer than their simulation takes; a canvas strokes them in some milliseconds.
 * How a line looks is the chart's description all the same, and what is exported is drawn by Vega. */

import { made } from "./dom.js";

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
    for (const name of ["zoom", "picked"].filter((each) => each in signals)) view.addSignalListener(name, again);
  }

  /** Draws a spec's lines. */
  show(spec) {
    this.spec = spec;
    this.#draw();
  }

  #draw() {
    const { view, spec, canvas } = this;
    const { width, height } = this.place.querySelector("canvas:not(.traces)").getBoundingClientRect();
    const dense = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * dense), Math.round(height * dense)];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    const ink = canvas.getContext("2d");
    ink.scale(dense, dense);
    ink.lineJoin = "miter";
    const { picked } = view.getState({ signals: (name) => name === "picked", data: () => false }).signals;
    spec.concat.forEach((panel, number) => {
      const frame = figures.frameOf(view, spec, number);
      ink.save();
      ink.beginPath();
      ink.rect(frame.left, frame.top, frame.width, frame.height);
      ink.clip();
      panel.layer.filter(isTrace).forEach(({ data }, at) => {
        const label = spec.usermeta.panels[number].layers[at];
        ink.globalAlpha = !picked?.label || picked.label.includes(label) ? 1 : 0.1;
        stroke(ink, data.values, frame, this.themed.concat[number].layer.filter(isTrace)[at].layer[0].mark);
      });
      ink.restore();
    });
  }
}

function stroke(ink, rows, { left, top, across, up }, { color, strokeWidth, strokeDash = [] }) {
  ink.strokeStyle = color;
  ink.lineWidth = strokeWidth;
  ink.setLineDash(strokeDash);
  ink.beginPath();
  for (const { x, y } of rows) ink.lineTo(left + across(x), top + up(y));
  ink.stroke();
}
