// What is wrong with a spec: where, what, and what would be right. Twin of python/dumbbell/problem.py.
// What users look for and this version has not, and words of other tools, come from the tables (`wishes` and `meant`).

import { byCodePoint, firstOf, isPrintable, lengthOf, numberText } from "./number.js";

const LONGEST_QUOTE = 60;
const LONGEST_LIST = 32;
const FEW_KNOWN = 4;
const LARGEST_SHOWN = 2n ** 1000n;

/** @type {Map<string, string>} */
let wishes = new Map();
/** @type {Map<string, string>} */
let meanings = new Map();

/** One thing wrong with a spec. */
export class Problem {
  /**
   * @param {string} path the field, e.g. `flows[2].cc`; the file where there is no field yet
   * @param {string} message what was wrong, without the path
   * @param {string} hint what would be right; empty where the message says it
   */
  constructor(path, message, hint = "") {
    this.path = path;
    this.message = message;
    this.hint = hint;
    Object.freeze(this);
  }

  toString() {
    return (this.path ? `${this.path}: ` : "") + this.message + (this.hint ? `; ${this.hint}` : "");
  }
}

/** A spec that cannot be run, with all its problems. */
export class SpecError extends Error {
  /** @param {Iterable<Problem>} problems */
  constructor(problems) {
    const all = [...problems];
    super(all.join("\n"));
    this.name = "SpecError";
    this.problems = all;
  }
}

/**
 * Keep the words for `suggestion` and `insteadOf`: once, before a spec is read.
 * @param {{wishes: Record<string, string>, meant: Record<string, string>}} tables
 */
export function setWishes(tables) {
  wishes = new Map(Object.entries(tables.wishes));
  meanings = new Map(Object.entries(tables.meant));
}

/**
 * Show a value in a message: short, text in double quotes.
 * @param {unknown} value
 * @returns {string}
 */
export function quoted(value) {
  switch (typeof value) {
    case "string":
      return `"${Array.from(shortened(value), shownSign).join("")}"`;
    case "boolean":
      return String(value);
    case "bigint":
      return value >= LARGEST_SHOWN || value <= -LARGEST_SHOWN ? "a huge number" : shortened(value.toString());
    case "number":
      return shortened(numberText(value));
    default:
      return kindOf(value);
  }
}

/**
 * Find the known word that was probably meant, or all of them; or say how a spec has it, or what it has instead.
 * @param {unknown} word
 * @param {readonly string[]} known
 * @returns {string}
 */
export function suggestion(word, known) {
  if (typeof word === "string") {
    const instead = insteadOf(word);
    if (instead) {
      const few = known.length > 0 && known.length <= FEW_KNOWN ? `known: ${known.join(", ")}; ` : "";
      return `not in this version: ${instead}; ${few}see docs/limitations.md`;
    }
    const meant = meanings.get(plainWord(word));
    if (meant !== undefined) return meant;
    const byCase = new Map(known.map((name) => [name.toLowerCase(), name]));
    const [close] = closeMatches(firstOf(word, LONGEST_QUOTE).toLowerCase(), [...byCase.keys()], 1);
    if (close !== undefined) return `did you mean "${byCase.get(close)}"?`;
  }
  const more = known.length > LONGEST_LIST ? ", …" : "";
  return known.length ? `known: ${known.slice(0, LONGEST_LIST).join(", ")}${more}` : "";
}

/**
 * What there is instead of something that this version has not; null of a word that is no known wish.
 * @param {string} word
 * @returns {string | null}
 */
export function insteadOf(word) {
  const plain = plainWord(word);
  return wishes.get(plain) || wishes.get(plain.replace(/^tcp/, "")) || null;
}

function plainWord(word) {
  return word.toLowerCase().replace(/[-_ ]/g, "");
}

/**
 * Python's `difflib.get_close_matches`: the most alike first, and of equally alike ones the last in order.
 * @param {string} word
 * @param {readonly string[]} possibilities
 * @param {number} most how many
 * @param {number} cutoff of likeness
 * @returns {string[]}
 */
export function closeMatches(word, possibilities, most = 3, cutoff = 0.6) {
  const signs = Array.from(word);
  return possibilities
    .map((text) => ({ text, alike: likeness(Array.from(text), signs) }))
    .filter(({ alike }) => alike >= cutoff)
    .sort((one, other) => other.alike - one.alike || byCodePoint(other.text, one.text))
    .slice(0, most)
    .map(({ text }) => text);
}

/** `SequenceMatcher.ratio`: twice the signs in matching blocks, over all signs. (Its rule for 200 signs and more is left out.) */
function likeness(one, other) {
  const all = one.length + other.length;
  if (!all) return 1;
  let matching = 0;
  const open = [[0, one.length, 0, other.length]];
  while (open.length) {
    const [oneFrom, oneTo, otherFrom, otherTo] = open.pop();
    const [i, j, size] = longestMatch(one, oneFrom, oneTo, other, otherFrom, otherTo);
    if (!size) continue;
    matching += size;
    if (oneFrom < i && otherFrom < j) open.push([oneFrom, i, otherFrom, j]);
    if (i + size < oneTo && j + size < otherTo) open.push([i + size, oneTo, j + size, otherTo]);
  }
  return (2 * matching) / all;
}

/** The longest block in both; of several the first in `one`, then the first in `other`. */
function longestMatch(one, oneFrom, oneTo, other, otherFrom, otherTo) {
  let best = [oneFrom, otherFrom, 0];
  let before = new Map(); // by its last place in `other`, how long a match is that ends at the last place in `one`
  for (let i = oneFrom; i < oneTo; i += 1) {
    const here = new Map();
    for (let j = otherFrom; j < otherTo; j += 1) {
      if (one[i] !== other[j]) continue;
      const size = (before.get(j - 1) ?? 0) + 1;
      here.set(j, size);
      if (size > best[2]) best = [i - size + 1, j - size + 1, size];
    }
    before = here;
  }
  return best;
}

function shortened(text) {
  return lengthOf(text) <= LONGEST_QUOTE ? text : `${firstOf(text, LONGEST_QUOTE - 1)}…`;
}

function shownSign(sign) {
  return isPrintable(sign) ? sign : `\\x${sign.codePointAt(0).toString(16).padStart(2, "0")}`;
}

function kindOf(value) {
  if (Array.isArray(value)) return "a list";
  if (value === null || value === undefined) return "a NoneType";
  if (typeof value.toml === "string") return `a ${value.toml}`;
  return "a table";
}
