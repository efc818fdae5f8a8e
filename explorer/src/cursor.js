/** One cursor under all panels of a chart in time, moved by a pointer or by keys, and the numbers there. */

import { amount } from "./amount.js";

/** Steps of a key, as parts of what is seen. */
const KEY_STEPS = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1, Home: -Infinity, End: Infinity };

/** Where the panels of a picture are: `{left, width, domain}`, pixels and seconds; undefined where there is none. */
export function axisOf({ view, spec }) {
  if (!view || !spec) return undefined;
  const scale = view.scale("x");
  const [begin, end] = scale.range();
  return { left: view.origin()[0] + view.padding().left + begin, width: end - begin, domain: scale.domain() };
}

/** A slider to those who hear the page: what it says are the numbers at its place. */
export class Cursor {
  /** `picture`: in time; `line`: the element that is moved; `output`: where the numbers stand. */
  constructor(picture, line, output) {
    Object.assign(this, { picture, line, output });
    const { place } = picture;
    place.addEventListener("pointermove", ({ clientX }) => this.#point(clientX - place.getBoundingClientRect().left));
    place.addEventListener("pointerleave", () => this.hide());
    place.addEventListener("blur", () => this.hide());
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The picture is another one: what was told is of the last one. */
  again() {
    const axis = axisOf(this.picture);
    if (!axis) return;
    const { place } = this.picture;
    place.setAttribute("aria-valuemin", String(axis.domain[0]));
    place.setAttribute("aria-valuemax", String(axis.domain[1]));
    if (this.at_s !== undefined && !this.line.hidden) this.#move(this.at_s);
    else this.hide();
  }

  hide() {
    this.line.hidden = true;
    this.output.classList.add("hint");
    this.output.textContent = "Point at the picture, or choose it and press the arrow keys, for the numbers at an instant.";
  }

  #point(offset) {
    const axis = axisOf(this.picture);
    if (!axis) return;
    const part = (offset - axis.left) / axis.width;
    if (part >= 0 && part <= 1) this.#move(axis.domain[0] + part * (axis.domain[1] - axis.domain[0]));
    else this.hide();
  }

  #key(event) {
    const axis = axisOf(this.picture);
    const step = KEY_STEPS[event.key];
    if (!axis || step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const [begin_s, end_s] = axis.domain;
    const from_s = this.at_s ?? begin_s;
    this.#move(Math.min(end_s, Math.max(begin_s, from_s + step * (end_s - begin_s))));
  }

  #move(at_s) {
    const { left, width, domain: [begin_s, end_s] } = axisOf(this.picture);
    this.at_s = at_s;
    this.line.hidden = false;
    this.output.classList.remove("hint");
    this.line.style.left = `${left + (width * (at_s - begin_s)) / (end_s - begin_s)}px`;
    this.output.textContent = textAt(this.picture.spec, at_s);
    this.picture.place.setAttribute("aria-valuenow", String(at_s));
    this.picture.place.setAttribute("aria-valuetext", this.output.textContent);
  }
}

/** The numbers of each panel's lines at an instant, in a sentence. */
function textAt(spec, at_s) {
  const parts = spec.concat.map((panel, number) => {
    const texts = panel.layer.filter(({ data }) => data?.name).map(({ data }, at) => {
      const row = nearest(data.values, at_s);
      const name = spec.usermeta.panels[number].layers[at].replace(/ \(.*| of Linux .*/, "");
      return row ? `${name} ${amount(row.y)}` : "";
    });
    const [quantity, unit = ""] = spec.usermeta.panels[number].y.split(/ \(|\)/);
    return spec.concat.length > number + 1 ? `${quantity}: ${texts.filter(Boolean).join(", ")} ${unit}` : `${texts.join("")} ${unit}`;
  });
  return `${amount(at_s)} s · ${parts.join(" · ")}`;
}

/** The row whose time is nearest, of rows in order of time. */
function nearest(rows, at_s) {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].x < at_s) low = middle + 1;
    else high = middle;
  }
  const before = rows[low - 1];
  return before && at_s - before.x < rows[low].x - at_s ? before : rows[low];
}
