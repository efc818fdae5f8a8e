/** Elements, made and found. */

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a function is what it does on that event, `undefined` and `false` leave out. */
export function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Options of a list, with one chosen; a third entry says that nobody can choose it. */
export const options = (rows, chosen) => rows.map(([value, text, disabled = false]) => (
  made("option", { value, selected: value === chosen, disabled: disabled && value !== chosen }, text)));

/** Saves bytes or text as a file. */
export function saved(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  made("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The pen of an empty canvas that is so large, in pixels of the page, and is drawn in those of the screen. */
export function penOf(canvas, width, height) {
  const dense = window.devicePixelRatio || 1;
  const [across, up] = [Math.round(width * dense), Math.round(height * dense)];
  if (canvas.width !== across || canvas.height !== up) [canvas.width, canvas.height] = [across, up];
  const pen = canvas.getContext("2d");
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
