/** Charts of Vega-Lite on a page: its colours and its width, and what the pointer is told. Reports and the explorer share it. */
const figures = (() => {
  "use strict";

  const NARROW = 310; // of a panel with its axes
  const AXES = 80;
  const NEAR = 40;

  const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark";

  // The page's colours are those of the style sheet, so that they are in one place.

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  /** A layer's numbers: the library would read them with eval, which the page forbids. */
  const parsed = (csv) => {
    const [head, ...lines] = csv.split("\n").map((line) => line.split(","));
    return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ? Number(cells[at]) : null])));
  };

  /** Of each panel, the layers whose numbers are text. */
  const layersOf = (spec) => spec.concat.map((panel) => panel.layer.filter((layer) => layer.data?.format));

  /** Black ink on dark paper cannot be read. */
  const themed = (spec, printing = false) => {
    const [paper, ink, grid, rule] = printing ? ["#ffffff", "#000000", "#dddddd", "#777777"] : ["paper", "ink", "grid", "rule"].map(colour);
    const faint = ink !== "#000000" && isDark() && !printing ? "rgba(255,255,255," : "rgba(0,0,0,";
    const text = JSON.stringify(spec).replaceAll("#000000", isDark() || printing ? ink : "#000000")
      .replaceAll("#fefefe", paper).replaceAll("#dddddd", grid).replaceAll("#777777", rule).replaceAll("rgba(0,0,0,", faint);
    const copy = JSON.parse(text);
    for (const { data } of layersOf(copy).flat()) {
      data.values = parsed(data.values);
      data.format = { type: "json", parse: null };
    }
    copy.config.background = paper;
    copy.config.font = getComputedStyle(document.body).fontFamily;
    return copy;
  };

  /** Makes panels as wide as the page has room for. Where it has none for all columns, panels with titles of their own
   * stand in fewer, others above one another: a column after the other, as a column has one title. */
  const sized = (spec, width, axes) => {
    if (spec.columns > 1 && width < NARROW * spec.columns) {
      const column = (panel) => Number(panel.name.slice("panel".length)) % spec.columns;
      const haveTitles = spec.concat.every((panel) => panel.title);
      if (!haveTitles) spec.concat.sort((a, b) => column(a) - column(b));
      spec.columns = haveTitles ? Math.max(1, Math.floor(width / NARROW)) : 1;
    }
    const own = Math.max(80, Math.floor(width / spec.columns - axes));
    spec.params[0].value = own;
    spec.params[1].value = Math.min(spec.columns, spec.concat.length);
    for (const panel of spec.concat) panel.width = own;
    return spec;
  };

  const options = {
    mode: "vega-lite", ast: true, tooltip: { theme: "custom" },
    actions: { export: true, source: false, compiled: false, editor: false },
  };

  /** Draws a chart into a place; what its axes take is known when it is there, and then it fills the width. Gives its view. */
  const drawn = async (place, spec, width, more = {}) => {
    sized(spec, width, AXES);
    const { view } = await vegaEmbed(place, spec, { ...options, ...more });
    place.querySelector("summary")?.setAttribute("aria-label", "Save this figure"); // it has an icon and no words
    place.querySelector("summary svg")?.setAttribute("aria-hidden", "true");
    const columns = spec.columns;
    let own = spec.params[0].value;
    for (let pass = 0; pass < 2; pass += 1) {
      const taken = place.querySelector("canvas, svg").getBoundingClientRect().width;
      const spare = Math.floor((width - taken) / columns);
      if (spare === 0) break;
      own = Math.max(80, own + spare);
      await view.signal(columns === 1 ? "width" : "childWidth", own).signal("panel_width", own).resize().runAsync();
      await view.resize().runAsync();
    }
    return view;
  };

  /** Where a panel stands in a drawn chart, in pixels of its place, and its scales, in pixels of the panel. */
  const frameOf = (view, { resolve }, number) => {
    const group = view.scenegraph().root.items[0].items.find(({ name }) => name === `panel${number}_group`).items[0];
    const scale = (which) => view.scale(resolve.scale[which] === "shared" ? which : `panel${number}_${which}`);
    return {
      left: view.origin()[0] + view.padding().left + group.x, top: view.origin()[1] + view.padding().top + group.y,
      width: group.width, height: group.height, across: scale("x"), up: scale("y"),
    };
  };

  const shortened = (value) => String(Number(value.toPrecision(4)));

  /** Tells the numbers of the point nearest to the pointer, and marks it. */
  const showNearestPoint = (view, spec, numbers, place) => {
    const { usermeta: { panels } } = spec;
    const mark = document.createElement("span");
    mark.className = "near";
    mark.hidden = true;
    place.append(mark);
    view.addEventListener("pointermove", (event) => {
      const frames = panels.map((_, number) => frameOf(view, spec, number));
      const at = frames.findIndex(({ left, top, width, height }) => event.offsetX >= left && event.offsetX <= left + width
        && event.offsetY >= top && event.offsetY <= top + height);
      mark.hidden = at < 0;
      if (at < 0) return;
      const { left, top, across, up } = frames[at];
      let best = [NEAR ** 2];
      numbers[at].forEach((rows, layer) => rows.forEach((row, index) => {
        if (row.y == null) return;
        const [x, y] = [left + across(row.x), top + up(row.y)];
        const distance = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
        if (distance < best[0]) best = [distance, layer, row, x, y, index];
      }));
      const [, layer, row, x, y, index] = best;
      mark.hidden = !row;
      if (!row) return;
      const panel = panels[at];
      const text = panel.texts[layer]?.[index];
      const value = panel.ticks.find(([tick]) => tick === row.x)?.[1] ?? shortened(row.x);
      const interval = row.low != null && row.high > row.low ? ` (${shortened(row.low)} to ${shortened(row.high)})` : "";
      mark.dataset.text = `${panel.layers[layer]}${text ? `, ${text}` : ""}\n${panel.x}: ${value}\n${panel.y}: ${shortened(row.y)}${interval}`;
      mark.classList.toggle("left", x > place.offsetWidth / 2);
      mark.style.translate = `${x}px ${y}px`;
    });
    view.addEventListener("pointerout", () => { mark.hidden = true; });
  };

  return { drawn, frameOf, isDark, layersOf, showNearestPoint, themed };
})();
