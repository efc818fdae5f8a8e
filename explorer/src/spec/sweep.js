// From an experiment with lists to its points. Twin of python/dumbbell/spec/sweep.py.

import { numberText, reprText } from "./number.js";
import { Problem, quoted, suggestion } from "./problem.js";
import { Quantity } from "./quantity.js";
import { Section, UNKNOWN, dotted, plain } from "./section.js";

/** The points of an experiment, by number. */
export class Grid {
  /** @param {Section} experiment @param {{location: (string | number)[], path: string, values: any[]}[]} axes */
  constructor(experiment, axes, bundles) {
    this.experiment = experiment;
    this.axes = axes;
    this.bundles = bundles;
  }

  /** Find the axes and bundle them as `zip` says, unless that makes no sense. */
  static of(experiment, { zipped = true } = {}) {
    const found = new Map([...axesOf(experiment)].map((axis) => [axis.path, axis]));
    const partners = new Map();
    if (zipped) for (const bundle of experiment.zip) for (const path of bundle) partners.set(path, bundle);
    const bundles = [];
    const placed = new Set();
    for (const [path, axis] of found) {
      if (placed.has(path)) continue;
      const bundle = partners.has(path) ? partners.get(path).map((partner) => found.get(partner)) : [axis];
      bundles.push(bundle);
      for (const member of bundle) placed.add(member.path);
    }
    return new Grid(experiment, [...found.values()], bundles);
  }

  /** How many points there are. @returns {bigint} */
  get length() {
    return this.bundles.reduce((product, bundle) => product * BigInt(bundle[0].values.length), 1n);
  }

  /**
   * The point at this place in the order of expansion, from 0.
   * @param {bigint | number} number
   * @returns {{values: Map<string, any>, experiment: Section}} each swept field's value as the spec wrote it
   */
  point(number) {
    let rest = BigInt(number);
    const chosen = new Map();
    for (const bundle of [...this.bundles].reverse()) {
      const length = BigInt(bundle[0].values.length);
      const index = Number(rest % length);
      rest /= length;
      for (const axis of bundle) chosen.set(axis.path, axis.values[index]);
    }
    let { experiment } = this;
    for (const axis of this.axes) experiment = substituted(experiment, axis.location, chosen.get(axis.path));
    return { values: new Map(this.axes.map((axis) => [axis.path, plain(chosen.get(axis.path))])), experiment };
  }
}

/** Every list where one value belongs, in order of appearance. */
export function* axesOf(section, location = []) {
  for (const [key, value] of section.written()) {
    const here = [...location, key];
    if (value instanceof Section) yield* axesOf(value, here);
    else if (isList(value)) {
      if (!section.$model.lists.has(key)) yield { location: here, path: dotted(here), values: value };
      else for (const [index, item] of value.entries()) if (item instanceof Section) yield* axesOf(item, [...here, index]);
    }
  }
}

/** Every field that has a problem of its own. */
export function* unknownFields(section, location = []) {
  for (const [key, value] of section.written()) {
    const here = [...location, key];
    if (value === UNKNOWN) yield here;
    else if (value instanceof Section) yield* unknownFields(value, here);
    else if (isList(value)) {
      for (const [index, item] of value.entries()) if (item instanceof Section) yield* unknownFields(item, [...here, index]);
    }
  }
}

/** Every point, in order. */
export function* expand(experiment) {
  const grid = Grid.of(experiment);
  for (let number = 0n; number < grid.length; number += 1n) yield grid.point(number);
}

/** What is wrong with `zip`. @returns {Generator<Problem>} */
export function* zipProblems(experiment) {
  const found = new Map([...axesOf(experiment)].map((axis) => [axis.path, axis]));
  const unknown = [...unknownFields(experiment)].map(dotted);
  const seen = new Set();
  for (const [index, bundle] of [...experiment.zip].entries()) {
    const here = `zip[${index}]`;
    for (const path of bundle) {
      if (!found.has(path) && !unknown.some((each) => path.startsWith(each))) {
        yield new Problem(here, `${quoted(path)} is no list of this spec`, suggestion(path, [...found.keys()]));
      } else if (seen.has(path)) {
        yield new Problem(here, `${quoted(path)} is named twice`, "name each list once");
      }
      seen.add(path);
    }
    const lengths = new Map(bundle.filter((path) => found.has(path)).map((path) => [path, found.get(path).values.length]));
    if (new Set(lengths.values()).size > 1) {
      const told = [...lengths].map(([path, length]) => `${path} has ${length}`).join(", ");
      yield new Problem(here, `the lists differ in length: ${told}`, "give them equally many values");
    }
  }
}

/** What is wrong with the lists themselves. @returns {Generator<Problem>} */
export function* sweepProblems(grid, tables) {
  const most = tables.limits.MOST_POINTS;
  for (const axis of grid.axes) {
    for (const [index, value] of axis.values.entries()) {
      if (!(value instanceof Section)) continue;
      for (const inner of axesOf(value, [...axis.location, index])) {
        yield new Problem(inner.path, "a list inside a list", "write every combination out, or use one list");
      }
    }
  }
  for (const bundle of grid.bundles) {
    const combinations = new Set();
    for (const index of bundle[0].values.keys()) {
      const together = bundle.map((axis) => axis.values[index]);
      const words = together.map((value) => (typeof value === "string" || value instanceof Quantity ? quoted(plain(value)) : asPython(plain(value)))).join(", ");
      if (combinations.has(words)) yield new Problem(bundle[0].path, `${words} is listed twice`, "list each value once");
      combinations.add(words);
    }
  }
  if (grid.length > BigInt(most)) {
    const lengths = grid.bundles.map((bundle) => bundle[0].values.length).join(" x ");
    const longest = grid.axes.reduce((one, other) => (other.values.length > one.values.length ? other : one));
    yield new Problem(longest.path, `${lengths} = ${grid.length} points are too many`, `at most ${most}`);
  }
}

function isList(value) {
  return Array.isArray(value) && !value.isTuple;
}

/** `str` of a plain value, as Python has it. */
function asPython(value) {
  if (typeof value === "string") return reprText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof Map) return `{${[...value].map(([key, each]) => `${reprText(key)}: ${asPython(each)}`).join(", ")}}`;
  return Array.isArray(value) ? `[${value.map(asPython).join(", ")}]` : numberText(value);
}

/** Copy a section with another value at a location. The rest is shared. */
function substituted(section, [key, ...rest], value) {
  const inner = section[key];
  const changed = rest.length ? substituted(inner, rest, value) : value;
  return Array.isArray(section) ? section.map((own, at) => (at === key ? changed : own)) : section.with(key, changed);
}
