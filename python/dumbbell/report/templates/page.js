"use strict";
(async () => {
  const places = [...document.querySelectorAll(".plot")];
  let plots; // by name, once they are unpacked

  // Tables: a click on a head sorts; a second one turns the order around.

  const key = (row, column) => {
    const cell = row.cells[column];
    const { sort } = cell.dataset;
    const text = sort ?? cell.textContent.trim();
    const number = sort === undefined ? parseFloat(text.replace("< ", "")) : Number(sort);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
    return typeof a === "number" ? -1 : 1;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        table.querySelectorAll("thead th").forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].sort((a, b) => compare(key(a, column), key(b, column)));
        body.append(...(up ? rows : rows.reverse()));
      });
    });
  }

  const claims = document.querySelector("table.claims");
  if (claims) {
    const controls = Object.fromEntries([...document.querySelectorAll("[data-filter]")].map((each) => [each.dataset.filter, each]));
    const told = document.querySelector("#claims output");
    const rows = [...claims.tBodies[0].rows];
    const filter = () => {
      const words = controls.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !(words.every((word) => text.includes(word))
          && ["verdict", "variant", "engine", "disputed"].every(
            (what) => !controls[what]?.value || row.dataset[what] === controls[what].value));
      }
      told.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    };
    Object.values(controls).forEach((each) => each.addEventListener("input", filter));
    filter();
  }

  /** What chooses the run that is laid over another one, if it has chosen one. */
  const over = (place) => {
    const chooser = place.id && document.querySelector(`select[data-over="${place.id}"]`);
    return chooser?.value ? chooser : null;
  };

  const show = (place, name) => {
    place.dataset.plot = name;
    if (!plots) return;
    place.setAttribute("aria-label", plots[name].alt);
    const words = over(place) ? ` Laid over it, fainter: ${over(place).selectedOptions[0].textContent}.` : "";
    place.nextElementSibling.textContent = plots[name].caption + words;
    if (place.dataset.drawn) draw(place);
  };

  for (const chooser of document.querySelectorAll("select[data-over]")) {
    const place = document.getElementById(chooser.dataset.over);
    chooser.addEventListener("change", () => show(place, place.dataset.plot));
  }

  for (const chooser of document.querySelectorAll("select[data-series]")) {
    chooser.addEventListener("change", () => show(document.getElementById(chooser.dataset.series), chooser.value));
  }

  // A figure or a table, as one engine shows it, and of one seed where it shows one.

  for (const figure of document.querySelectorAll("figure[data-choices]")) {
    const choices = JSON.parse(figure.dataset.choices);
    const place = figure.querySelector(".plot");
    const views = figure.querySelectorAll("[data-view]");
    const [engine, seed] = ["engine", "seed"].map((what) => figure.querySelector(`select[data-choose="${what}"]`));
    const choose = () => {
      const own = choices.filter((each) => !engine || each[0] === engine.value);
      const [, shown, name] = own.find((each) => !seed || each[1] === seed.value) ?? own[0];
      if (seed) {
        for (const option of seed.options) option.disabled = !own.some((each) => each[1] === option.value);
        seed.value = shown;
      }
      for (const view of views) view.hidden = view.dataset.view !== name;
      if (place && place.dataset.plot !== name) show(place, name);
    };
    if (!choices.length) continue;
    for (const select of [engine, seed]) select?.addEventListener("change", choose);
    choose();
  }

  document.querySelector("select[data-everywhere]")?.addEventListener("change", (event) => {
    for (const select of document.querySelectorAll('select[data-choose="engine"]')) {
      if (![...select.options].some((option) => option.value === event.target.value)) continue;
      select.value = event.target.value;
      select.dispatchEvent(new Event("change"));
    }
  });

  // Tables, filters and choices work from here on, whatever becomes of the figures.

  if (!("DecompressionStream" in window)) {
    for (const place of places) place.textContent = "This figure needs a browser of 2023 or later.";
    return;
  }
  const packed = Uint8Array.from(atob(document.getElementById("plots").textContent), (each) => each.charCodeAt(0));
  plots = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  for (const place of places) show(place, place.dataset.plot); // another one may have been chosen meanwhile
  if (typeof vegaEmbed === "undefined") {
    for (const place of places) place.textContent = "The figure needs vega.min.js beside this page.";
    return;
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const PRINTED_WIDTH = 700;
  const NARROW = 310; // of a panel with its axes
  const AXES = 80;
  const NEAR = 40;
  const SYMBOL = 7; // a line in the legend, in characters
  const FAINT = "70"; // of a colour, as its last two digits
  let printing = false;

  // Figures. The page's colours are those of the style sheet, so that they are in one place.

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  /** A layer's numbers: the library would read them with eval, which the page forbids. */
  const parsed = (csv) => {
    const [head, ...lines] = csv.split("\n").map((line) => line.split(","));
    return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ? Number(cells[at]) : null])));
  };

  /** Of each panel, the layers whose numbers are text. */
  const layersOf = (spec) => spec.concat.map((panel) => panel.layer.filter((layer) => layer.data?.format));

  /** Black ink on dark paper cannot be read. */
  const themed = (spec) => {
    const [paper, ink, grid, rule] = printing ? ["#ffffff", "#000000", "#dddddd", "#777777"] : ["paper", "ink", "grid", "rule"].map(colour);
    const faint = ink !== "#000000" && dark.matches && !printing ? "rgba(255,255,255," : "rgba(0,0,0,";
    const text = JSON.stringify(spec).replaceAll("#000000", dark.matches || printing ? ink : "#000000")
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

  /** Makes panels as wide as the page has room for; those beside one another stand above one another where it has not: a
   * column after the other, where a column has one title. */
  const sized = (spec, width, axes) => {
    if (spec.columns > 1 && width < NARROW * spec.columns) {
      const column = (panel) => Number(panel.name.slice("panel".length)) % spec.columns;
      if (spec.concat.some((panel) => !panel.title)) spec.concat.sort((a, b) => column(a) - column(b));
      spec.columns = 1;
    }
    const own = Math.max(80, Math.floor(width / spec.columns - axes));
    spec.params[0].value = own;
    spec.params[1].value = Math.min(spec.columns, spec.concat.length);
    for (const panel of spec.concat) panel.width = own;
    return spec;
  };

  /** A run with the lines of another one, which are fainter, in the same panels. */
  const laidOver = (spec, other, title) => {
    const both = structuredClone(spec);
    const legendOf = ({ concat }) => concat[0].layer.find(({ encoding }) => encoding?.shape);
    both.concat.forEach((panel, at) => {
      const theirs = structuredClone(layersOf(other)[at]);
      for (const layer of theirs) {
        delete layer.encoding;
        for (const unit of layer.layer) {
          delete unit.name;
          if (unit.mark?.color) unit.mark.color += FAINT;
        }
      }
      panel.layer.push(...theirs);
      both.usermeta.panels[at].layers.push(...other.usermeta.panels[at].layers.map((name) => `${name}; ${title}`));
      for (const axis of ["x", "y"]) {
        const [ours, also] = [panel, other.concat[at]].map(({ encoding }) => encoding[axis].scale);
        if (ours.domain && also.domain) ours.domain = [Math.min(ours.domain[0], also.domain[0]), Math.max(ours.domain[1], also.domain[1])];
      }
    });
    const [legend, also] = [both, other].map(legendOf);
    const names = also.data.values.map(({ label }) => `${label}; ${title}`);
    const longest = (each) => Math.max(...each.map((label) => label.length)) + SYMBOL;
    const wider = longest(names) / longest(legend.data.values.map(({ label }) => label));
    legend.data.values.push(...names.map((label) => ({ label })));
    for (const channel of ["shape", "stroke", "fill"]) {
      const faded = also.encoding[channel].scale.range.map((value) => (value.startsWith("#") ? value + FAINT : value));
      legend.encoding[channel].scale.domain.push(...names);
      legend.encoding[channel].scale.range.push(...faded);
      const { columns } = legend.encoding[channel].legend; // as many as have room for the longest name
      columns.expr = columns.expr.replace(/\/(\d+)\)/, (_, width) => `/${Math.ceil(width * Math.max(1, wider))})`);
    }
    return both;
  };

  const options = {
    mode: "vega-lite", ast: true, tooltip: { theme: "custom" },
    actions: { export: true, source: false, compiled: false, editor: false },
  };

  /** Draws a figure; what its axes take is known when it is there, and then it fills the width. */
  const draw = async (place) => {
    const width = printing ? PRINTED_WIDTH : place.offsetWidth;
    if (!width) return;
    const name = place.dataset.plot;
    place.dataset.drawn = name;
    const chooser = over(place);
    const shown = chooser ? laidOver(plots[name].spec, plots[chooser.value].spec, chooser.selectedOptions[0].textContent) : plots[name].spec;
    const spec = themed(shown);
    const numbers = layersOf(spec).map((layers) => layers.map(({ data }) => data.values));
    sized(spec, width, AXES);
    const renderer = printing ? "svg" : "canvas";
    const { view } = await vegaEmbed(place, spec, { ...options, renderer, downloadFileName: name });
    const columns = spec.columns;
    let own = spec.params[0].value;
    for (let pass = 0; pass < 2; pass += 1) {
      const drawn = place.querySelector("canvas, svg").getBoundingClientRect().width;
      const spare = Math.floor((width - drawn) / columns);
      if (spare === 0) break;
      own = Math.max(80, own + spare);
      await view.signal(columns === 1 ? "width" : "childWidth", own).signal("panel_width", own).resize().runAsync();
      await view.resize().runAsync();
    }
    if (!printing) tellNearest(view, shown, numbers, place);
    place.style.minHeight = "";
    place.dataset.width = width;
  };

  const shortened = (value) => String(Number(value.toPrecision(4)));

  /** Tells the numbers of the point nearest to the pointer, and marks it. */
  const tellNearest = (view, { usermeta: { panels }, resolve }, numbers, place) => {
    const mark = document.createElement("span");
    mark.className = "near";
    mark.hidden = true;
    place.append(mark);
    const groups = panels.map((_, at) => view.scenegraph().root.items[0].items.find(({ name }) => name === `panel${at}_group`).items[0]);
    const scale = (which, at) => view.scale(resolve.scale[which] === "shared" ? which : `panel${at}_${which}`);
    view.addEventListener("pointermove", (event) => {
      const [left, top] = [view.origin()[0] + view.padding().left, view.origin()[1] + view.padding().top];
      const at = groups.findIndex(({ x, y, width, height }) => event.offsetX - left >= x && event.offsetX - left <= x + width
        && event.offsetY - top >= y && event.offsetY - top <= y + height);
      mark.hidden = at < 0;
      if (at < 0) return;
      const [across, up] = [scale("x", at), scale("y", at)];
      let best = [NEAR ** 2];
      numbers[at].forEach((rows, layer) => rows.forEach((row, index) => {
        if (row.y == null) return;
        const [x, y] = [left + groups[at].x + across(row.x), top + groups[at].y + up(row.y)];
        const distance = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
        if (distance < best[0]) best = [distance, layer, row, x, y, index];
      }));
      const [, layer, row, x, y, index] = best;
      mark.hidden = !row;
      if (!row) return;
      const panel = panels[at];
      const words = panel.words[layer]?.[index];
      const value = panel.ticks.find(([tick]) => tick === row.x)?.[1] ?? shortened(row.x);
      const interval = row.low != null && row.high > row.low ? ` (${shortened(row.low)} to ${shortened(row.high)})` : "";
      mark.dataset.words = `${panel.layers[layer]}${words ? `, ${words}` : ""}\n${panel.x}: ${value}\n${panel.y}: ${shortened(row.y)}${interval}`;
      mark.classList.toggle("left", x > place.offsetWidth / 2);
      mark.style.translate = `${x}px ${y}px`;
    });
    view.addEventListener("pointerout", () => { mark.hidden = true; });
  };

  const isStale = (place) => place.dataset.drawn !== place.dataset.plot || (place.offsetWidth && place.dataset.width !== String(place.offsetWidth));

  /** Those in sight first; the others one by one, so that the page can be read meanwhile. */
  const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (entry.isIntersecting && isStale(entry.target)) draw(entry.target);
  }), { rootMargin: "200px" });
  const drawMissing = async () => {
    for (const place of places) {
      if (isStale(place)) await draw(place);
      await new Promise((next) => setTimeout(next));
    }
  };
  const drawAll = () => Promise.all(places.map(draw));

  let resized;
  window.addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(drawMissing, 200);
  });
  dark.addEventListener("change", drawAll);
  window.addEventListener("beforeprint", () => {
    printing = true;
    document.querySelectorAll("details:has(.plot)").forEach((each) => { each.open = true; });
    drawAll();
  });
  window.addEventListener("afterprint", () => { printing = false; drawAll(); });
  document.querySelectorAll("details").forEach((each) => each.addEventListener("toggle", drawMissing));

  places.forEach((place) => seen.observe(place));
  drawMissing();
})();
