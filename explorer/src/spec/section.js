// What every table of a spec has in common. Twin of python/dumbbell/spec/section.py.

import { Quantity } from "./quantity.js";

/** A rule asked for a field that has a problem of its own. */
export class DependsOnInvalidField extends Error {}

/** An experiment that still has lists was taken for a point: there is a list inside a list, which is told already. */
export class StillHasLists extends TypeError {}

/** Stands for a field that has a problem, so that the rules about the others can still be asked. */
export const UNKNOWN = new Proxy(
  {},
  {
    get(_, key) {
      throw new DependsOnInvalidField(String(key));
    },
  },
);

/** A table of a spec, its values under the keys of TOML. It knows the order in which they were written. */
export class Section {
  /**
   * @param {object} model of the tables, with its `name`
   * @param {Iterable<[string, unknown]>} values of every key; an absent one is null
   * @param {readonly string[]} written
   */
  constructor(model, values, written) {
    this.$model = model;
    this.$written = written;
    for (const [key, value] of values) this[key] = value;
  }

  /** The same with another value of one key. */
  with(key, value) {
    const copy = Object.create(Section.prototype);
    return Object.assign(copy, this, { [key]: value });
  }

  /** Keys and values in the order in which they were written. @returns {Generator<[string, any]>} */
  *written() {
    for (const key of this.$written) yield [key, this[key]];
  }
}

/** @param {unknown} value @param {string} name of a section's class */
export function isA(value, name) {
  return value instanceof Section && value.$model.name === name;
}

/** The value of a field at a point, where no list is left. */
export function scalar(value) {
  if (Array.isArray(value) && !value.isTuple) throw new StillHasLists();
  if (value === UNKNOWN) throw new DependsOnInvalidField();
  return value;
}

/** Give a value as the spec wrote it: text, numbers, lists and Maps. */
export function plain(value) {
  if (value === UNKNOWN) return value;
  if (value instanceof Section) return new Map([...value.written()].map(([key, each]) => [key, plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Quantity ? value.text : value;
}

/** The tag that tells a list from a single value. */
export function form(value) {
  return Array.isArray(value) ? "#sweep" : "#one";
}

/** Write a location as a path: ["flows", 2, "cc"] is "flows[2].cc". @param {readonly (string | number)[]} location */
export function dotted(location) {
  const text = location.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return text.startsWith(".") ? text.slice(1) : text;
}
