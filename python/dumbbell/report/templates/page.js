"use strict";
(() => {
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const PRINTED_WIDTH = 700;
  const NARROW = 620;
  let printing = false;

  // Figures. The page's colours are those of the style sheet, so that they are in one place.

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  /** Black ink on dark paper cannot be read. */
  const inked = (value, ink) => {
    if (value === "#000000") return ink;
    if (typeof value === "string" && value.startsWith("rgba(0,0,0,") && ink !== "#000000") return value.replaceAll("0,0,0", "255,255,255");
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map((each) => inked(each, ink)) : value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inked(each, ink)]));
  };

  /** Panels beside one another stand above one another where there is no room. */
  const laid = (place, plot) => (plot.narrow && (printing || place.offsetWidth < NARROW) ? plot.narrow : plot.layout);

  const themed = (place, plot) => {
    const [paper, ink, grid, rule] = printing
      ? ["#ffffff", "#000000", "#dddddd", "#777777"]
      : ["paper", "ink", "grid", "rule"].map(colour);
    const drawn = printing || !dark.matches ? "#000000" : ink;
    const layout = structuredClone(laid(place, plot));
    for (const key of Object.keys(layout).filter((name) => /^[xy]axis/.test(name))) {
      Object.assign(layout[key], { gridcolor: grid, linecolor: rule, tickcolor: rule, hoverformat: ".4~g" });
    }
    Object.assign(layout, {
      paper_bgcolor: paper, plot_bgcolor: paper,
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: ink },
    });
    if (printing) layout.width = PRINTED_WIDTH; else layout.autosize = true;
    return { data: inked(plot.data, drawn), layout };
  };

  const options = {
    responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", topojsonURL: "",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { format: "svg" },
  };

  /** Draws a figure, and gives it the height that its legend needs at this width. */
  const draw = async (place) => {
    const plot = plots[place.dataset.plot];
    if (!place.offsetWidth && !printing) return;
    const { data, layout } = themed(place, plot);
    await Plotly.react(place, data, layout, options);
    place.dataset.drawn = place.dataset.plot;
    place.dataset.narrow = place.offsetWidth < NARROW;
    await fit(place);
  };

  const fit = async (place) => {
    const layout = laid(place, plots[place.dataset.plot]);
    const box = place.querySelector(".legend .bg");
    const legend = box ? Math.ceil(box.getBBox().height) + 6 : 0;
    const height = layout.height + legend;
    const bottom = layout.margin.b + legend;
    if (place.layout.height !== height || place.layout.margin.b !== bottom) {
      await Plotly.relayout(place, { height, "margin.b": bottom });
    }
    place.style.minHeight = height + "px";
  };

  const refit = (place) => {
    const turned = String(place.offsetWidth < NARROW) !== place.dataset.narrow;
    return turned && plots[place.dataset.plot].narrow ? draw(place) : fit(place);
  };

  const places = [...document.querySelectorAll(".plot")];
  const drawAll = () => Promise.all(places.map(draw));
  const drawMissing = () => places.filter((place) => place.dataset.drawn !== place.dataset.plot).forEach(draw);

  let resized;
  window.addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => places.filter((place) => place.dataset.drawn).forEach(refit), 200);
  });
  dark.addEventListener("change", drawAll);
  window.addEventListener("beforeprint", () => {
    printing = true;
    document.querySelectorAll("details:has(.plot)").forEach((each) => { each.open = true; });
    drawAll();
  });
  window.addEventListener("afterprint", () => { printing = false; drawAll(); });
  document.querySelectorAll("details").forEach((each) => each.addEventListener("toggle", drawMissing));

  const show = (place, name) => {
    place.dataset.plot = name;
    place.setAttribute("aria-label", plots[name].alt);
    place.nextElementSibling.textContent = plots[name].caption;
    if (place.dataset.drawn) draw(place);
  };

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

  // Tables: a click on a head sorts; a second one turns the order around.

  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = parseFloat(text);
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

  if (typeof Plotly === "undefined") {
    for (const place of places) place.textContent = "The figure needs plotly.min.js beside this page.";
    return;
  }

  // One figure after the other, so that the page can be read meanwhile.
  (async () => { for (const place of places) await draw(place); })();
})();
