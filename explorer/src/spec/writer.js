// An experiment's words as a spec file. Twin of python/dumbbell/spec/writer.py, and of what `tomli_w` writes of a value.

import { lengthOf, numberText } from "./number.js";

/** Columns of a list that is written on one line. */
const LINE_COLUMNS = 100;
const ESCAPED = /["\\\0-\x08\n-\x1f\x7f]/g;
const SHORT_ESCAPES = { "\b": "\\b", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/**
 * TOML that says the same, in the order of the words; tables that say nothing are left out.
 * @param {Map<string, unknown>} words as `parse` gives them
 * @param {{lists: readonly string[]}} tables whose `lists` are the lists of tables with a header each (see TABLES.md)
 * @returns {string}
 */
export function toml(words, tables) {
  return tableTexts(words, new Set(tables.lists)).join("\n");
}

/**
 * A scalar, list or table as it is written behind "="; a list that is too long for a line has a line for each value.
 * @param {unknown} value
 * @returns {string}
 */
export function tomlValue(value) {
  if (value instanceof Map) return `{ ${Array.from(value, ([key, each]) => `${key} = ${tomlValue(each)}`).join(", ")} }`;
  if (Array.isArray(value)) {
    const values = value.map(tomlValue);
    const line = `[${values.join(", ")}]`;
    return lengthOf(line) <= LINE_COLUMNS ? line : `[\n${values.map((each) => `    ${each},\n`).join("")}]`;
  }
  if (typeof value === "string") return `"${value.replace(ESCAPED, escaped)}"`;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "object") return value.text; // a date or a time
  return numberText(value);
}

/** The text of a table, and of each table in it; one in a flow is written on one line. */
function tableTexts(words, lists, name = "", header = "") {
  const known = [...words].filter(([, value]) => value !== null && value !== undefined);
  const isInner = ([key, value]) => lists.has(key) || (value instanceof Map && !name);
  const own = known.filter((entry) => !isInner(entry));
  const texts = [];
  if (own.length) {
    const lines = own.map(([key, value]) => `${key} = ${tomlValue(value)}`);
    texts.push([...(header ? [header] : []), ...lines, ""].join("\n"));
  }
  for (const [key, value] of known.filter(isInner)) {
    const full = name ? `${name}.${key}` : key;
    if (lists.has(key)) {
      for (const each of value) texts.push(...tableTexts(each, lists, full, `[[${full}]]`));
    } else {
      texts.push(...tableTexts(value, lists, full, `[${full}]`));
    }
  }
  return texts;
}

function escaped(sign) {
  return SHORT_ESCAPES[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
