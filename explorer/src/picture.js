/** A chart on the page that is drawn once and then takes in new numbers: compiling it anew takes longer than a simulation. */

import { dataName, structureOf } from "./chart.js";
import { made } from "./dom.js";
import { Traces, withoutLines } from "./traces.js";

/** The page has its own buttons for files. Vega tells errors only (1): it would warn of a chart that has no rows yet. */
const HOW = { renderer: "canvas", actions: false, logLevel: 1 };

/** A place with a chart. */
export class Picture {
  /** `isInTime`: its layers are lines of many points. */
  constructor(place, { isInTime = false } = {}) {
    this.place = place;
    this.traces = isInTime ? new Traces(place) : null;
    this.structure = "";
    this.view = null;
    this.spec = null;
    this.drawing = Promise.resolve();
  }

  /** Draws a spec of `filled`; done when it is seen. Of several that come while one is drawn only the last one is drawn. */
  show(spec) {
    this.wanted = spec;
    this.drawing = this.drawing.then(async () => {
      if (this.wanted !== spec) return;
      await this.#show(spec);
    });
    return this.drawing;
  }

  async #show(spec) {
    const width = this.place.clientWidth;
    if (!width) return; // not seen: drawn when it is
    this.spec = spec;
    this.place.setAttribute("aria-label", spec.description);
    const drawn = this.traces ? withoutLines(spec) : spec;
    const structure = `${width} ${this.traces ? panelHeight() : ""} ${figures.isDark()} ${structureOf(drawn)}`;
    if (structure !== this.structure || !this.view) {
      await this.#compile(drawn, width);
      this.structure = structure;
    } else {
      rowsOfView(drawn).forEach((layers, panel) => layers.forEach((rows, layer) => (
        this.view.data(dataName(panel, layer), structuredClone(rows))))); // Vega marks what it takes in
      await this.view.runAsync();
      if (this.#bottom() !== this.bottom) await this.view.resize().runAsync(); // other numbers at the axes take other room
      this.bottom = this.#bottom();
    }
    this.numbers.splice(0, this.numbers.length, ...rowsOfView(spec));
    this.traces?.show(spec);
  }

  async #compile(spec, width) {
    this.view?.finalize();
    const themed = this.#themed(spec);
    this.view = await figures.drawn(this.place, themed, width, HOW);
    this.bottom = this.#bottom();
    this.numbers = []; // what the pointer is told: changed in place
    figures.showNearestPoint(this.view, spec, this.numbers, this.place);
    this.traces?.over(this.view, themed);
  }

  /** Where what is drawn ends, pixels. */
  #bottom() {
    return this.view.scenegraph().root.bounds.y2;
  }

  /** In the page's colours, and in the shape that it has on the page. */
  #themed(spec) {
    const themed = roomy(figures.themed(spec));
    if (this.traces) themed.concat.forEach(lowered);
    return themed;
  }

  /** Draws the same once more: the page has another width, or other colours. */
  again() {
    return this.spec ? this.show({ ...this.spec }) : this.drawing;
  }

  /** The chart as a file: the text of an SVG, or the data URL of a PNG, with so many pixels for each of the page. */
  async file(kind, dense = 2) {
    const place = made("div", { className: "unseen" });
    place.style.width = `${this.place.clientWidth}px`;
    document.body.append(place);
    const view = await figures.drawn(place, this.#themed(this.spec), this.place.clientWidth, HOW);
    const file = kind === "svg" ? await view.toSVG() : await view.toImageURL("png", dense);
    view.finalize();
    place.remove();
    return file;
  }
}

/** What the labels of an axis take, pixels: five digits. As numbers change, panels stay where they are. */
const LABELS = 42;
/** Above the uppermost panel: half of a label. */
const HALF_LABEL = 8;

/** A chart whose axes have room for whatever numbers come. */
function roomy(spec) {
  const { padding } = spec.config;
  spec.config.axisY = { ...spec.config.axisY, minExtent: LABELS };
  spec.config.padding = { left: padding, right: padding, bottom: padding, top: HALF_LABEL };
  return spec;
}

/** Pixels above and below the panels in time on a screen, and of those between two panels; a phone's sheet takes the rest. */
const AROUND = { screen: 355, phone: 165, between: 17, part: 0.64 };
const PANELS = 5;
const HEIGHTS = { least: 56, most: 160, roomy: 110 };

/** The height at which all panels in time are seen at once, so that one sees the queue while one drags its room. */
function panelHeight() {
  const isPhone = window.matchMedia("(max-width: 780px)").matches;
  const all = isPhone ? AROUND.part * window.innerHeight - AROUND.phone : window.innerHeight - AROUND.screen;
  return Math.round(Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, all / PANELS - AROUND.between)));
}

/** A panel of that height, with fewer numbers at its axis, whose title has its unit below. */
function lowered(panel) {
  panel.height = panelHeight();
  const { y } = panel.encoding;
  if (panel.height < HEIGHTS.roomy) Object.assign(y.axis, { tickCount: 3, titleFontSize: 11 });
  y.axis.title = y.title.split(/ (?=\()/);
}

/** Of each panel, the numbers of the layers that have names. */
const rowsOfView = (spec) => spec.concat.map((panel) => panel.layer.filter(({ data }) => data?.name).map(({ data }) => data.values));
