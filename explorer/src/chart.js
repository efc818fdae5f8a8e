/** Fills the charts that Python has drawn without numbers (`dumbbell/explorer/skeletons.py`): which marks, colours, dashes and
 * axes there are is decided there. */

/** The number of each instance among those of its style in a chart, by style and instance. */
function ranked(panels) {
  const instances = new Map();
  for (const { style, instance } of panels.flatMap((panel) => panel.layers)) {
    if (!instances.has(style)) instances.set(style, new Set());
    instances.get(style).add(instance);
  }
  const ranks = new Map();
  for (const [style, some] of instances) {
    [...some].sort((a, b) => a - b).forEach((instance, rank) => ranks.set(`${style}\0${instance}`, rank));
  }
  return ({ style, instance }) => ranks.get(`${style}\0${instance}`);
}

/** How a layer looks. */
const lookOf = (skeletons, layer, rank) => {
  const looks = skeletons.looks[layer.style] ?? skeletons.looks["flow 1"];
  return looks[rank % looks.length][layer.kind];
};

/** How the line of each of some flows or groups looks in a chart of them all: `styles` has the style of each. */
export function linesOf({ looks }, styles) {
  const ranks = new Map();
  return styles.map((style) => {
    const rank = ranks.get(style) ?? 0;
    ranks.set(style, rank + 1);
    return lookOf({ looks }, { style, kind: "line" }, rank);
  });
}

/** The name of a layer's data in a view. */
export const dataName = (panel, layer) => `panel${panel}_layer${layer}`;

/**
 * A chart with layers in the place of its placeholders.
 *
 * `panels`: of each panel `{layers, title, x, y}`; a layer is `{label, style, instance, kind, rows}`, kind "line", "mean" or "each",
 * rows `{x, y, low, high}`; `x` and `y` are changes of the axes: `{title, domain, ticks, log}`; `levels` are dashed lines
 * across: `{at, layer}`, in the colour of that layer, if any.
 */
export function filled(skeletons, name, panels, description = "") {
  const spec = structuredClone(skeletons[name]);
  const rank = ranked(panels);
  spec.description = description;
  // Of a chart whose panels are alike there is one in the skeleton.
  while (spec.concat.length < panels.length) spec.concat.push(structuredClone(spec.concat[0]));
  spec.concat.length = panels.length;
  const [legend, zooms] = [legendOf(skeletons[name]), spec.params.filter(({ select }) => select)];
  spec.params = spec.params.filter(({ select }) => !select);
  spec.concat.forEach((panel, number) => {
    const { layers, title, x, y, levels = [] } = panels[number];
    const drawn = [...layers].filter(({ rows }) => rows.length);
    drawn.sort((a, b) => lookOf(skeletons, a, rank(a)).depth - lookOf(skeletons, b, rank(b)).depth);
    panel.name = `panel${number}`;
    if (title) panel.title = { text: title };
    turnedAxis(panel.encoding.x, x);
    turnedAxis(panel.encoding.y, y);
    panel.layer = drawn.map((layer, at) => {
      const units = structuredClone(lookOf(skeletons, layer, rank(layer)).layer);
      if (at === 0) (units[0].layer ?? units)[0].name = `zoomed${number}`;
      return { data: { name: dataName(number, at), values: layer.rows }, layer: units, ...picked(layer) };
    });
    panel.layer.unshift(...levels.map((level) => levelOf(skeletons, level, rank)));
    if (!drawn.length) panel.layer.push(blank(panel.encoding));
    spec.usermeta.panels[number] = {
      ...spec.usermeta.panels[0],
      x: panel.encoding.x.title,
      y: panel.encoding.y.title,
      layers: drawn.map((layer) => layer.label || skeletons.labels[layer.style] || layer.style),
      texts: drawn.map(() => []),
    };
  });
  spec.usermeta.panels.length = panels.length;
  spec.params.push(...zoomsOf(zooms, panels));
  const entries = entriesOf(panels);
  if (entries.length) spec.concat[0].layer.push(writtenLegend(legend, skeletons, entries, rank));
  return spec;
}

function levelOf({ level, looks }, { at, layer }, rank) {
  const color = layer ? lookOf({ looks }, layer, rank(layer)).stroke : level.mark.color;
  return { ...level, data: { values: [{ at }] }, mark: { ...level.mark, color } };
}

/** Only panels that have points can be zoomed. */
function zoomsOf(zooms, panels) {
  const views = panels.flatMap(({ layers }, number) => (layers.some(({ rows }) => rows.length) ? [`zoomed${number}`] : []));
  return views.length ? zooms.map((zoom) => ({ ...zoom, views })) : [];
}

/** Faint while others are picked in the legend. */
const picked = ({ label }) => (label ? {
  encoding: {
    opacity: { condition: { test: `!picked.label||indexof(picked.label,${JSON.stringify(label)})>=0`, value: 1 }, value: 0.1 },
  },
} : {});

/** Nothing but the axes of a panel without points. */
function blank(encoding) {
  const end = (axis) => (axis.scale.domain ?? [axis.scale.domainMin ?? 1])[0];
  return { data: { values: [{ x: end(encoding.x), y: end(encoding.y) }] }, mark: { type: "point", opacity: 0 } };
}

/** An axis that is otherwise than in the skeleton. */
function turnedAxis(channel, change = {}) {
  if (change.title !== undefined) {
    channel.title = change.title;
    if (channel.axis.title !== null) channel.axis.title = change.title;
  }
  if (change.domain) channel.scale.domain = change.domain;
  if (change.log) Object.assign(channel.scale, { type: "log", base: change.log, nice: false });
  if (change.ticks) {
    const [places, labels] = [change.ticks.map(([at]) => at), change.ticks.map(([, text]) => text)];
    channel.axis = {
      title: channel.axis.title, titleLimit: 0, values: places, labelOverlap: "greedy", labelLimit: 0,
      labelExpr: `${JSON.stringify(labels)}[indexof(${JSON.stringify(places)},datum.value)]`,
      ...(channel.axis.grid === false ? { grid: false, ticks: false, domain: false } : {}),
    };
  }
}

/** The layer of a chart of which nothing is seen but the legend. */
const legendOf = (spec) => structuredClone(spec.concat[0].layer.find(({ encoding }) => encoding?.shape));

/** What the legend has: the first layer with each label; what was published comes last. */
function entriesOf(panels) {
  const entries = new Map();
  for (const layer of panels.flatMap((panel) => panel.layers)) {
    if (layer.label && !entries.has(layer.label)) entries.set(layer.label, layer);
  }
  return [...entries.values()];
}

function writtenLegend(legend, skeletons, entries, rank) {
  const names = entries.map(({ label }) => label);
  const looks = entries.map((layer) => lookOf(skeletons, layer, rank(layer)));
  const entry = Math.max(...names.map((name) => [...name].length)) * skeletons.letter + skeletons.entry;
  legend.data.values = names.map((label) => ({ label }));
  for (const channel of ["shape", "stroke", "fill"]) {
    const { scale, legend: own } = legend.encoding[channel];
    scale.domain = names;
    scale.range = looks.map((look) => look[channel]);
    own.columns.expr = `max(1,floor(panel_width*panel_columns/${entry.toFixed(0)}))`;
  }
  return legend;
}

/** What of a spec decides how it is compiled; the rest is data, which a view takes in anew. */
export const structureOf = (spec) => JSON.stringify(spec, (key, value) => (
  key === "description" || (key === "values" && Array.isArray(value)) ? undefined : value));
