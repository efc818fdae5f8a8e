// From errors of fields to problems, and from a spec with problems to one that the other rules can be asked about.
// Twin of python/dumbbell/spec/diagnosis.py.

import { Problem, insteadOf, quoted, suggestion } from "./problem.js";
import { UNKNOWN, dotted } from "./section.js";

const BOUND_WORDS = { ge: "at least", le: "at most", lt: "less than", gt: "more than" };
const TAGS_OF_NO_TABLE = new Set(["#one", "#sweep", "#bulk", "#fixed"]);

/** Every problem that was found, in our words. @returns {Problem[]} */
export function problemsOf(errors, tables) {
  return errors.map((error) => problemOf(error, tables));
}

/** Copy a spec's words with an unknown value wherever a problem was found. */
export function without(words, errors) {
  const copy = copiedWords(words);
  for (const error of errors) {
    let location = untagged(error);
    while (location.length && typeof location.at(-1) !== "string") location = location.slice(0, -1);
    if (location.length) blankField(copy, location, error.type === "extra_forbidden");
  }
  return copy;
}

/** Where an error is, without the tags that tell which member of a union was tried. */
function untagged({ type, loc }) {
  const last = type === "extra_forbidden" ? loc.length - 1 : loc.length; // a key, even if it looks like a tag
  return loc.filter((part, index) => index >= last || !(typeof part === "string" && part.startsWith("#")));
}

function copiedWords(value) {
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copiedWords(item)]));
  return Array.isArray(value) ? value.map(copiedWords) : value;
}

function blankField(words, location, remove) {
  let place = words;
  for (const part of location.slice(0, -1)) {
    if (place instanceof Map && place.has(part)) place = place.get(part);
    else if (Array.isArray(place) && typeof part === "number" && part < place.length) place = place[part];
    else return; // inside something that another problem has blanked
  }
  if (!(place instanceof Map)) return;
  if (remove) place.delete(location.at(-1));
  else place.set(location.at(-1), UNKNOWN);
}

function problemOf(error, tables) {
  const { type, loc, input, ctx } = error;
  const [told, hint] = wordsOfError(type, loc, input, ctx, tables);
  return new Problem(dotted(untagged(error)), told, hint);
}

function wordsOfError(type, loc, input, ctx, tables) {
  switch (type) {
    case "spec":
      return [ctx.message, ctx.hint];
    case "missing":
      return ["missing", writtenAs(tables, loc)];
    case "extra_forbidden":
      return ["unknown key", knownKey(tables, loc)];
    case "literal_error":
      return [`unknown ${quoted(input)}`, suggestion(input, ctx.options)];
    case "union_tag_not_found":
      return noMember(loc, input, tables);
    case "greater_than_equal":
    case "less_than_equal":
    case "less_than":
    case "greater_than": {
      const key = Object.keys(BOUND_WORDS).find((each) => each in ctx);
      return [`${quoted(input)} is out of range`, `${BOUND_WORDS[key]} ${ctx[key]}`];
    }
    case "too_short":
      return [input.length ? "the list is too short" : "the list is empty", writtenAs(tables, loc)];
    case "too_long":
      return ["the list is too long", `at most ${ctx.max_length}`];
    default:
      if (ctx.told) return [ctx.told, ""];
      return [`must be ${tables.wanted[type]}, not ${quoted(input)}`, writtenAs(tables, loc)];
  }
}

function noMember(loc, input, tables) {
  const keys = input instanceof Map ? [...input.keys()].map(quoted).join(", ") : "";
  const wished = keys ? [...input.keys()].find((key) => insteadOf(key)) : input;
  const noun = lastKey(loc) === "size" ? "size" : "workload";
  const told = `${keys ? `a table with ${keys}` : quoted(input)} is no ${noun}`;
  return [told, suggestion(wished, []) || tables.hints[noun]];
}

function lastKey(loc) {
  return loc.findLast((part) => typeof part === "string" && !part.startsWith("#")) ?? "";
}

/** Show how the field at a location is written, if it has an example. */
function writtenAs(tables, loc) {
  const [owner, key] = ownerOf(tables, loc);
  return owner?.fields.get(key)?.write ?? "";
}

/** Suggest a key of the table that a location is in, or the table that has such a key. */
function knownKey(tables, loc) {
  const key = loc.at(-1);
  const [tableOf, inner] = ownerOf(tables, loc.slice(0, -1));
  const owner = tableOf && inner ? sectionOf(tableOf, inner, tables) : tableOf;
  if (!owner) return "";
  if (owner === tables.models.Change) return "of a path only the rate changes in time: at and rate";
  for (const name of insteadOf(key) ? [] : tables.models.Spec.fields.keys()) {
    const table = sectionOf(tables.models.Spec, name, tables);
    if (table && table !== owner && [...table.fields.values()].some((field) => field.attribute === key)) {
      return name === "flows" ? `"${key}" belongs in [[flows]]` : `"${key}" belongs in [${name}]`;
    }
  }
  return suggestion(key, [...owner.fields.keys()]);
}

/** Give the table that the last key of a location is in, and that key. */
function ownerOf(tables, loc) {
  let owner = tables.models.Spec;
  let key = "";
  for (const part of loc) {
    if (typeof part === "number" || TAGS_OF_NO_TABLE.has(part)) continue;
    if (part.startsWith("#")) {
      owner = tables.models[{ ...tables.workloads, ...tables.sizes }[part.slice(1)]];
      key = "";
      continue;
    }
    if (key) owner = owner ? sectionOf(owner, key, tables) : null;
    key = part;
  }
  return [owner, key];
}

/** Give the table that a key of another table holds, if it holds one. */
function sectionOf(model, key, tables) {
  const pending = model.fields.has(key) ? [model.fields.get(key).type] : [];
  while (pending.length) {
    const type = pending.pop();
    if (type.kind === "section") return tables.models[type.section];
    pending.push(...Object.values(type.members ?? {}), ...(type.item ? [type.item] : []));
  }
  return null;
}
