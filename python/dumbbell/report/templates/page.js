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
    const output = document.querySelector("#claims output");
    const rows = [...claims.tBodies[0].rows];
    const filter = () => {
      const terms = controls.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !(terms.every((term) => text.includes(term))
          && ["verdict", "variant", "engine", "disputed"].every(
            (what) => !controls[what]?.value || row.dataset[what] === controls[what].value));
      }
      output.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
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
    const overlayText = over(place) ? ` Laid over it, fainter: ${over(place).selectedOptions[0].textContent}.` : "";
    place.nextElementSibling.textContent = plots[name].caption + overlayText;
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
  const PRINTED_HEIGHT = 700; // of panels above one another, so that a page has room for heading, legend and words
  const BETWEEN = 40; // of two panels
  const SYMBOL = 7; // a line in the legend, in characters
  const FAINT = "70"; // of a colour, as its last two digits
  const { drawn, layersOf, showNearestPoint, themed } = figures;
  let printing = false;

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

  /** Draws a figure. */
  const draw = async (place) => {
    const width = printing ? PRINTED_WIDTH : place.offsetWidth;
    if (!width) return;
    const name = place.dataset.plot;
    place.dataset.drawn = name;
    const chooser = over(place);
    const shown = chooser ? laidOver(plots[name].spec, plots[chooser.value].spec, chooser.selectedOptions[0].textContent) : plots[name].spec;
    const spec = themed(shown, printing);
    if (printing && spec.columns === 1) {
      const most = Math.floor(PRINTED_HEIGHT / spec.concat.length - BETWEEN);
      for (const panel of spec.concat) panel.height = Math.min(panel.height, most);
    }
    const numbers = layersOf(spec).map((layers) => layers.map(({ data }) => data.values));
    const view = await drawn(place, spec, width, { renderer: printing ? "svg" : "canvas", downloadFileName: name });
    if (!printing) showNearestPoint(view, shown, numbers, place);
    place.style.minHeight = "";
    place.dataset.width = width;
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
