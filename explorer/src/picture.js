/** A chart on the page that is drawn once and then takes in new numbers: compiling it anew takes longer than a simulation. */

import { dataName, structureOf } from "./chart.js";

/** A place with a chart. */
export class Picture {
  constructor(place) {
    this.place = place;
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
    const structure = `${width} ${figures.isDark()} ${structureOf(spec)}`;
    const rows = rowsOfView(spec);
    if (structure !== this.structure || !this.view) {
      this.view?.finalize();
      this.structure = structure;
      this.view = await figures.drawn(this.place, roomy(figures.themed(spec)), width, { renderer: "canvas" });
      this.numbers = rows; // what the pointer is told: changed in place from now on
      figures.tellNearest(this.view, spec, this.numbers, this.place);
      return;
    }
    this.numbers.splice(0, this.numbers.length, ...rows);
    rows.forEach((layers, panel) => layers.forEach((own, layer) => this.view.data(dataName(panel, layer), structuredClone(own))));
    await this.view.runAsync();
  }

  /** Draws the same once more: the page has another width, or other colours. */
  again() {
    return this.spec ? this.show({ ...this.spec }) : this.drawing;
  }
}

/** What the labels of an axis take, pixels: five digits. As numbers change, panels stay where they are. */
const LABELS = 42;

/** A chart whose axes have room for whatever numbers come. */
function roomy(spec) {
  spec.config.axisY = { ...spec.config.axisY, minExtent: LABELS };
  return spec;
}

/** Of each panel, the numbers of the layers that have names. */
const rowsOfView = (spec) => spec.concat.map((panel) => panel.layer.filter(({ data }) => data?.name).map(({ data }) => data.values));
