/** A sweep of one quantity as curves, of two as a map: cells are coloured as their runs are done. */

import { baseName } from "./spec.js";
import { filled } from "./chart.js";
import { byId, made, options } from "./dom.js";
import { planned, withValues } from "./experiment.js";
import { fairLevels } from "./fair.js";
import { estimate, summarise } from "./metrics.js";
import { isThere, placed } from "./network.js";
import { amount } from "./amount.js";
import { Picture } from "./picture.js";
import { Refused } from "./pool.js";
import { meanOf } from "./readout.js";
import { OF_LINK, QUANTITIES_SHOWN, valuesOf } from "./readings.js";
import { bisected, bisectedGrid, each } from "./schedule.js";

const FIELDS = [["path.buffer", "buffer"], ["path.rate", "rate"], ["path.rtt", "RTT"], ["path.loss", "random loss"], ["path.jitter", "jitter"], ["path.qdisc", "queue discipline"],
  ["hops[1].buffer", "buffer of the second hop"], ["hops[1].rate", "rate of the second hop"], ["path.back.buffer", "buffer of the way back"],
  ["path.back.rate", "rate of the way back"]];
const USUAL = {
  "path.buffer": "0.2 bdp, 0.5 bdp, 1 bdp, 2 bdp, 4 bdp, 8 bdp",
  "path.rate": "5 Mbit/s, 10 Mbit/s, 20 Mbit/s, 50 Mbit/s, 100 Mbit/s",
  "path.rtt": "5 ms, 10 ms, 20 ms, 50 ms, 100 ms, 200 ms",
  "path.loss": "0.01 %, 0.1 %, 1 %, 5 %, 10 %",
  "path.jitter": "none, 50 us, 200 us, 1 ms",
  "path.qdisc": "fifo, codel, fq_codel, pie, dualpi2",
  "hops[1].buffer": "0.2 bdp, 0.5 bdp, 1 bdp, 2 bdp, 4 bdp, 8 bdp",
  "hops[1].rate": "5 Mbit/s, 10 Mbit/s, 20 Mbit/s, 50 Mbit/s, 100 Mbit/s",
  "path.back.buffer": "10 packets, 20 packets, 50 packets, 100 packets, 200 packets",
  "path.back.rate": "0.5 Mbit/s, 1 Mbit/s, 2 Mbit/s, 5 Mbit/s, 10 Mbit/s",
};
/** Time between two drawings of a picture that fills, milliseconds. */
const THROTTLE_MS = 120;

/** Both pictures, with their controls. */
export class Survey {
  constructor(explorer) {
    this.explorer = explorer;
    this.curves = new Picture(byId("plot-sweep"));
    this.map = new Picture(byId("plot-map"));
    this.settings = {};
    const again = () => explorer.write(explorer.text);
    this.x = this.#field("sweep-controls", "Over ", "path.buffer", again);
    this.what = this.#what("sweep-controls", again);
    this.mapX = this.#field("map-controls", "Across ", "path.rtt", again);
    this.mapY = this.#field("map-controls", "Up ", "path.rate", again);
    this.mapWhat = this.#what("map-controls", again);
  }

  /** Takes over what a preset or a link says: `{x, values, what}`, or `{x, xs, y, ys, what}`. */
  view({ tab, x, values, xs, y, ys, what }) {
    if (tab === "sweep") {
      this.x.set(x, values);
      chooseOption(this.what, what);
    } else if (tab === "map") {
      this.mapX.set(x, xs);
      this.mapY.set(y, ys);
      chooseOption(this.mapWhat, what);
    }
  }

  /** Offers the fields that an experiment has. */
  offer(fields) {
    for (const { options: each } of [this.x, this.mapX, this.mapY]) {
      for (const option of each) option.disabled = !isThere(fields, option.value);
    }
  }

  /** The same as a link keeps it. */
  storedView(tab) {
    if (tab === "sweep") return { tab, x: this.x.path, values: this.x.text, what: this.what.value };
    if (tab === "map") return { tab, x: this.mapX.path, xs: this.mapX.text, y: this.mapY.path, ys: this.mapY.text, what: this.mapWhat.value };
    return { tab };
  }

  run(tab, signal) {
    return tab === "sweep" ? this.#runSweep(signal) : this.#runMap(signal);
  }

  /** Shares of each seed beside one another, and their means with intervals, for `filled`. */
  overSeeds(summaries, plans) {
    const quantity = QUANTITIES_SHOWN[summaries[0].groups.size > 1 ? "share" : "goodput"];
    const groups = plans[0].groups.map(({ name, cc }, instance) => {
      const known = summaries.map((summary) => quantity.of(summary).get(name));
      const rows = known.flatMap((y, i) => (y === null ? [] : [{ x: i + 1, y, low: y, high: y }]));
      if (rows.length > 1) {
        rows.push(this.#mean(plans.length + 1, rows.map(({ y }) => y)));
      }
      return { label: name, style: baseName(cc), instance, kind: "each", rows };
    });
    const ticks = plans.map(({ seed }, i) => [i + 1, String(seed)]);
    if (plans.length > 1) ticks.push([plans.length + 1, "mean"]);
    return [{ layers: groups, x: { title: "seed", ticks, domain: [0.5, ticks.length + 0.5] }, y: { title: quantity.label } }];
  }

  /** The row of a mean with its interval. */
  #mean(x, values) {
    const { mean, half_width } = estimate(values, this.explorer.tables.t);
    return { x, y: mean, low: mean - (half_width ?? 0), high: mean + (half_width ?? 0) };
  }

  #field(place, label, path, again) {
    const select = made("select", { "aria-label": `${label}field` }, ...options(FIELDS, path));
    const values = made("input", { type: "text", className: "values", value: USUAL[path], spellcheck: false, "aria-label": `${label}values` });
    const field = {
      options: select.options,
      get path() { return select.value; },
      get text() { return values.value; },
      get values() { return values.value.split(",").map((part) => part.trim()).filter(Boolean); },
      set: (name, text) => {
        if (chooseOption(select, name) && typeof text === "string") values.value = text;
      },
    };
    select.addEventListener("change", () => {
      values.value = USUAL[select.value];
      again();
    });
    values.addEventListener("change", again);
    byId(place).append(made("label", {}, label, select), values);
    return field;
  }

  /** How a field is called: where hops are listed, those of a queue stand in each of them. */
  #noun(path) {
    const { fields, tables } = this.explorer;
    return `${FIELDS.find(([name]) => name === path)[1]}${placed(fields, path, tables) === path ? "" : " of the first hop"}`;
  }

  #what(place, again) {
    const select = made("select", { change: again }, ...options(Object.entries(QUANTITIES_SHOWN).map(([name, { label }]) => [name, label]), "share"));
    byId(place).append(made("label", {}, "shows ", select));
    return select;
  }

  /** The experiment at each value, resolved for each seed; refuses what the spec refuses. */
  #plans(values, seeds) {
    const { explorer } = this;
    const experiment = withValues(explorer.fields, values, explorer.tables);
    return seeds.map((seed) => planned(experiment, explorer.tables, { seed, isSummary: true }));
  }

  async #summary(plan, signal) {
    const { explorer } = this;
    const measurement = await explorer.measured(plan, { signal });
    return summarise(plan.run, measurement, plan.bdp_bytes, plan.names);
  }

  async #runSweep(signal) {
    const { explorer } = this;
    const { path, values } = this.x;
    const { seeds } = explorer.experiment;
    const quantity = QUANTITIES_SHOWN[this.what.value];
    const plans = values.map((value) => this.#plans(new Map([[path, value]]), seeds));
    explorer.affordable(plans.flat());
    const summaries = values.map(() => []);
    const order = seeds.flatMap((_, seed) => bisected(values.length).map((at) => [at, seed]));
    const drawn = throttled(() => this.curves.show(this.#curves(quantity, path, values, plans, summaries)));
    await each(order, explorer.pool.size, async ([at, seed]) => {
      summaries[at].push(await this.#summary(plans[at][seed], signal));
      byId("progress").textContent = `${summaries.flat().length} of ${order.length} runs`;
      drawn();
    });
    await this.curves.show(this.#curves(quantity, path, values, plans, summaries));
  }

  #curves(quantity, path, values, plans, summaries) {
    const first = summaries.find((own) => own.length);
    const names = first ? [...quantity.of(first[0]).keys()] : [];
    const layers = names.map((name, instance) => {
      const group = plans[0][0].groups.find((one) => one.name === name);
      const rows = summaries.flatMap((own, at) => {
        const known = valuesOf(quantity, own, name);
        return known.length ? [this.#mean(at, known)] : [];
      });
      return { label: name, style: group ? baseName(group.cc) : "link", instance, kind: "mean", rows };
    });
    const noun = this.#noun(path);
    const x = { title: noun, ticks: values.map((value, at) => [at, value]), domain: [-0.3, values.length - 0.7] };
    const fair = quantity === QUANTITIES_SHOWN.share ? fairLevels(plans.map(([plan]) => plan)) : [];
    const levels = fair.map(({ at, group }) => ({ at, layer: layers.find(({ label }) => label === group) }));
    byId("levels").textContent = fair.length ? `Dashed: ${fair.map(({ text }) => text).join("; ")}.` : "";
    return filled(this.explorer.skeletons, "sweep", [{ layers, levels, x, y: { title: quantity.label } }], `${quantity.label} over the ${noun}`);
  }

  async #runMap(signal) {
    const { explorer } = this;
    const { seeds } = explorer.experiment;
    const quantity = QUANTITIES_SHOWN[this.mapWhat.value];
    const [xs, ys] = [this.mapX.values, this.mapY.values];
    if (this.mapX.path === this.mapY.path) throw new Refused("a map needs two different fields");
    const plans = xs.map((x) => ys.map((y) => this.#plans(new Map([[this.mapX.path, x], [this.mapY.path, y]]), seeds)));
    explorer.affordable(plans.flat(2));
    const summaries = xs.map(() => ys.map(() => []));
    const order = seeds.flatMap((_, seed) => bisectedGrid(xs.length, ys.length).map(([column, row]) => [column, row, seed]));
    const group = plans[0][0][0].groups[0].name;
    let count = 0;
    const drawn = throttled(() => this.map.show(this.#cells(quantity, xs, ys, summaries, group)));
    await each(order, explorer.pool.size, async ([column, row, seed]) => {
      summaries[column][row].push(await this.#summary(plans[column][row][seed], signal));
      count += 1;
      byId("progress").textContent = `${count} of ${order.length} runs`;
      document.body.dataset.cells = count;
      drawn();
    });
    await this.map.show(this.#cells(quantity, xs, ys, summaries, group));
  }

  /** A map in the colours of the reports' maps. */
  #cells(quantity, xs, ys, summaries, group) {
    const { skeletons } = this.explorer;
    const spec = structuredClone(skeletons.map);
    const [panel] = spec.concat;
    const isOfLink = summaries.flat(2).some((summary) => quantity.of(summary).has(OF_LINK));
    const value = (own) => meanOf(valuesOf(quantity, own, isOfLink ? OF_LINK : group));
    const rows = xs.flatMap((x, column) => ys.map((y, row) => {
      const mean = value(summaries[column][row]);
      return {
        column, row, left: column - 0.5, right: column + 0.5, bottom: row - 0.5, top: row + 0.5, value: mean,
        text: mean === null ? "" : amount(mean), hatched: false, beside: "", x, y, [quantity.label]: mean === null ? "-" : amount(mean),
      };
    }));
    const squares = panel.layer[0];
    squares.data = { name: "panel0_layer0", values: rows };
    const known = rows.map((row) => row.value).filter((one) => one !== null);
    const [low, high] = [Math.min(0, ...known), Math.max(...known, 0) || 1];
    const colours = skeletons.heat.sequential;
    const { color } = squares.layer[0].encoding;
    color.scale.domain = colours.map((_, i) => low + ((high - low) * i) / (colours.length - 1));
    color.legend.title = isOfLink ? quantity.label : `${quantity.label} of ${group}`;
    squares.layer[0].encoding.tooltip = ["x", "y", quantity.label].map((field) => ({ field: field.replaceAll(".", "\\."), title: field }));
    for (const [channel, labels, path] of [["x", xs, this.mapX.path], ["y", ys, this.mapY.path]]) {
      const axis = panel.encoding[channel];
      axis.scale.domain = [-0.5, labels.length - 0.5];
      axis.title = this.#noun(path);
      axis.axis = {
        ...axis.axis, title: axis.title, values: labels.map((_, at) => at),
        labelExpr: `${JSON.stringify(labels)}[datum.value]`,
      };
      delete axis.axis.tickCount;
    }
    spec.description = `${quantity.label} by ${panel.encoding.x.title} and ${panel.encoding.y.title}`;
    spec.usermeta.panels = [{ ...spec.usermeta.panels[0], x: panel.encoding.x.title, y: panel.encoding.y.title, layers: [], texts: [] }];
    return spec;
  }
}

/** Chooses an option of a list, and says whether it has it: links say what they like. */
function chooseOption(select, value) {
  const has = [...select.options].some((option) => option.value === value);
  if (has) select.value = value;
  return has;
}

/** Calls a function at most once in a while, and at last for the last call. */
function throttled(draw) {
  let timer;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      draw();
    }, THROTTLE_MS);
  };
}
