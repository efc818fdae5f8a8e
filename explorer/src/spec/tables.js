// Interpreter of the tables: checks each field of a parsed spec as pydantic does by python/dumbbell/spec/tables.py.

import { isPrintable, lengthOf, stripped } from "./number.js";
import { quoted, setWishes } from "./problem.js";
import { QuantityError, quantityKinds } from "./quantity.js";
import { Section, UNKNOWN, form } from "./section.js";
import { commandFault, commandForm, wordFault } from "./words.js";

const FAILED = Symbol("failed");
const GROUP_PLACE = /^flows\[([0-9]{1,6})\]$/;

/**
 * Make the tables ready for use; once a page.
 * @param {object} tables the JSON of `python -m dumbbell.explorer.tables`
 */
export function prepared(tables) {
  if (tables.kinds) return tables;
  setWishes(tables);
  const ready = { ...tables, kinds: quantityKinds(tables), models: {} };
  for (const [name, section] of Object.entries(tables.sections)) {
    ready.models[name] = { name, lists: new Set(section.lists), fields: new Map(section.fields.map((field) => [field.key, field])) };
  }
  ready.validators = validators(ready);
  ready.choosers = choosers(ready);
  refuseUnknown(ready);
  const fields = Object.values(ready.models).flatMap((model) => [...model.fields.values()]);
  for (const ofSections of [false, true]) { // whose own fields' defaults are there by then
    for (const field of fields) {
      if ((field.type.kind === "section") === ofSections) field.absent = field.default === null ? null : defaultOf(field, ready);
    }
  }
  return ready;
}

/** Functions that validate what has its type already: each gives nothing, or `{message, hint}`. */
function validators(tables) {
  return {
    "tables.sensibleRoom": (size) => sensibleRoom(size, tables),
    "tables.noBdp": noBdp,
    "tables.properName": (name) => properName(name, tables),
    "tables.group": properGroup,
    "words.properWord": (word) => wordFault(word, tables),
    "words.properCommand": commandFault,
  };
}

/** Functions that give the tag of a union's member; null: none. */
function choosers(tables) {
  return {
    "section.form": form,
    "words.form": commandForm,
    "tables.kindOfWorkload": (value) => kindOfWorkload(value, tables),
    "tables.kindOfSize": (value) => kindOfSize(value, tables),
  };
}

export function sensibleRoom(size, tables) {
  const most = tables.largest_buffers[size.unit] ?? tables.largest_buffers[""];
  if (size.value > 0n && size.value <= BigInt(most.value)) return null;
  return { message: `${quoted(size.text)} is out of range`, hint: `more than none and at most ${most.text}` };
}

export function noBdp(size) {
  if (size.unit !== "bdp") return null;
  return { message: `${quoted(size.text)}: an access line has no bdp of its own`, hint: 'write it as "1 MB" or "100 packets"' };
}

export function properName(name, tables) {
  const most = tables.limits.LONGEST_NAME;
  if (stripped(name) && isPrintable(name) && name === stripped(name) && lengthOf(name) <= most) return null;
  return { message: `${quoted(name)} is no name`, hint: `1 to ${most} printable characters, no space around them` };
}

export function properGroup(text) {
  if (GROUP_PLACE.test(text)) return null;
  return { message: `${quoted(text)} is no group of flows`, hint: 'write it by its place, as "flows[0]"' };
}

export function kindOfSize(value, tables) {
  if (!(value instanceof Map)) return "#fixed";
  const kind = Object.keys(tables.sizes).find((each) => value.has(each));
  return kind === undefined ? null : `#${kind}`;
}

export function kindOfWorkload(value, tables) {
  const kind = value instanceof Map ? Object.keys(tables.workloads).find((each) => value.has(each)) : undefined;
  if (kind !== undefined) return `#${kind}`;
  return value === "bulk" ? "#bulk" : null;
}

/** Tables of a newer package may name what this page has no twin of. */
function refuseUnknown(tables) {
  const visit = (type) => {
    if (!TAKE[type.kind]) throw new Error(`no twin of the type ${type.kind}`);
    for (const rule of type.rules ?? []) {
      if (rule.function && !tables.validators[rule.function]) throw new Error(`no twin of ${rule.function}`);
    }
    if (type.by && !tables.choosers[type.by]) throw new Error(`no twin of ${type.by}`);
    for (const inner of [...Object.values(type.members ?? {}), ...(type.item ? [type.item] : [])]) visit(inner);
  };
  for (const model of Object.values(tables.models)) for (const field of model.fields.values()) visit(field.type);
}

function defaultOf(field, tables) {
  const errors = [];
  const value = validated(field.type, defaultWords(field.default, field.type), [field.key], errors, tables);
  if (errors.length) throw new Error(`the default of ${field.key} is refused`);
  return value;
}

/** A default's words as the parser of TOML would give them: JSON has no integers. */
function defaultWords(value, type) {
  if (type.kind === "section") return new Map();
  if (type.by === "section.form") return defaultWords(value, type.members[form(value)]);
  return type.kind === "int" ? BigInt(value) : value;
}

/**
 * Check a spec's words against a section.
 * @param {Map<string, unknown>} words
 * @param {object} tables prepared
 * @returns {{section: Section | null, errors: {type: string, loc: (string | number)[], input: unknown, ctx: object}[]}}
 */
export function validate(words, tables, name = "Spec") {
  const errors = [];
  const section = validated({ kind: "section", section: name }, words, [], errors, tables);
  return { section: section === FAILED ? null : section, errors };
}

function validated(type, value, loc, errors, tables) {
  const found = TAKE[type.kind](type, value, loc, errors, tables);
  if (found === FAILED) return FAILED;
  for (const rule of type.rules ?? []) {
    const fault = rule.bounds ? outOfBounds(found, rule.bounds) : tables.validators[rule.function](found);
    if (fault) return refused(errors, "spec", loc, value, fault);
  }
  return found;
}

function refused(errors, type, loc, input, ctx = {}) {
  errors.push({ type, loc, input, ctx });
  return FAILED;
}

function outOfBounds(quantity, bounds) {
  if (quantity.value >= BigInt(bounds.least) && quantity.value <= BigInt(bounds.most)) return null;
  return { message: `${quoted(quantity.text)} is out of range`, hint: bounds.told };
}

const TAKE = {
  quantity: takeQuantity,
  literal: takeLiteral,
  int: takeInt,
  float: takeFloat,
  bool: takeBool,
  str: takeStr,
  list: takeList,
  tuple: takeTuple,
  section: takeSection,
  union: takeUnion,
};

function takeQuantity(type, value, loc, errors, tables) {
  try {
    return tables.kinds[type.quantity].read(value);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return refused(errors, "spec", loc, value, { message: error.message, hint: error.hint });
  }
}

function takeLiteral(type, value, loc, errors) {
  return type.options.includes(value) ? value : refused(errors, "literal_error", loc, value, { options: type.options });
}

const NUMBER_LIMITS = [
  ["le", "less_than_equal", (value, bound) => value <= bound],
  ["lt", "less_than", (value, bound) => value < bound],
  ["ge", "greater_than_equal", (value, bound) => value >= bound],
  ["gt", "greater_than", (value, bound) => value > bound],
];

function withinLimits(type, read, value, input, loc, errors) {
  for (const [name, kind, holds] of NUMBER_LIMITS) {
    if (type[name] === undefined || holds(value, read(type[name]))) continue;
    return refused(errors, kind, loc, input, { [name]: type[name] });
  }
  return value;
}

function takeInt(type, value, loc, errors) {
  if (typeof value !== "bigint") return refused(errors, "int_type", loc, value);
  return withinLimits(type, BigInt, value, value, loc, errors);
}

function takeFloat(type, value, loc, errors) {
  const number = typeof value === "bigint" ? Number(value) : value;
  const finite = typeof value === "number" || Number.isFinite(number);
  if (typeof number !== "number" || !finite) return refused(errors, "float_type", loc, value);
  return withinLimits(type, Number, number, value, loc, errors);
}

function takeBool(type, value, loc, errors) {
  return typeof value === "boolean" ? value : refused(errors, "bool_type", loc, value);
}

function takeStr(type, value, loc, errors) {
  if (typeof value !== "string") return refused(errors, "string_type", loc, value);
  if (lengthOf(value) >= (type.min ?? 0)) return value;
  const told = `String should have at least ${type.min} character${type.min === 1 ? "" : "s"}`;
  return refused(errors, "string_too_short", loc, value, { told });
}

function takeList(type, value, loc, errors, tables) {
  return takeEntries(type, value, loc, errors, tables, "list_type");
}

function takeTuple(type, value, loc, errors, tables) {
  const found = takeEntries(type, value, loc, errors, tables, "tuple_type");
  return found === FAILED ? found : Object.defineProperty(found, "isTuple", { value: true });
}

function takeEntries(type, value, loc, errors, tables, wrong) {
  if (!Array.isArray(value)) return refused(errors, wrong, loc, value);
  if (value.length > (type.max ?? Infinity)) return refused(errors, "too_long", loc, value, { max_length: type.max });
  const found = value.map((item, index) => validated(type.item, item, [...loc, index], errors, tables));
  if (found.includes(FAILED)) return FAILED;
  return value.length < (type.min ?? 0) ? refused(errors, "too_short", loc, value) : found;
}

function takeSection(type, value, loc, errors, tables) {
  if (!(value instanceof Map)) return refused(errors, "model_type", loc, value);
  const model = tables.models[type.section];
  const before = errors.length;
  const values = [];
  for (const [key, field] of model.fields) {
    const here = [...loc, key];
    if (!value.has(key)) {
      if (field.required) refused(errors, "missing", here, value);
      else values.push([key, field.absent]);
    } else {
      const own = value.get(key);
      values.push([key, own === UNKNOWN ? UNKNOWN : validated(field.type, own, here, errors, tables)]);
    }
  }
  for (const [key, own] of value) if (!model.fields.has(key)) refused(errors, "extra_forbidden", [...loc, key], own);
  return errors.length > before ? FAILED : new Section(model, values, [...value.keys()]);
}

function takeUnion(type, value, loc, errors, tables) {
  const tag = tables.choosers[type.by](value);
  if (tag === null) return refused(errors, "union_tag_not_found", loc, value);
  return validated(type.members[tag], value, [...loc, tag], errors, tables);
}
