// What is wrong with a spec: where, what, and what would be right. Twin of python/dumbbell/problem.py.

export class Problem {
  /** @param {string} path @param {string} message @param {string} hint */
  constructor(path, message, hint = "") {
    this.path = path;
    this.message = message;
    this.hint = hint;
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

/** Show a value in a message: short, text in double quotes. @param {unknown} value @returns {string} */
export function quoted(value) {
  throw new Error("not yet");
}

/**
 * Keep what users look for and this version does not have, for `suggestion` and `insteadOf`; the page calls it once.
 * @param {object} tables section "wishes" of TABLES.md
 */
export function setWishes(tables) {
  throw new Error("not yet");
}

/**
 * Find the known word that was probably meant, or all of them; or say what there is instead of a known wish.
 * @param {unknown} word @param {readonly string[]} known @returns {string}
 */
export function suggestion(word, known) {
  throw new Error("not yet");
}

/** What there is instead of something that this version has not; null of a word that is no known wish. @param {string} word */
export function insteadOf(word) {
  throw new Error("not yet");
}

/** Python's difflib.get_close_matches. @param {string} word @param {readonly string[]} possibilities @returns {string[]} */
export function closeMatches(word, possibilities, n = 3, cutoff = 0.6) {
  throw new Error("not yet");
}
