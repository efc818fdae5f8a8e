// The words of a program. Twin of python/dumbbell/spec/words.py.

/** The names that stand in braces, whether there are such or not. @param {Iterable<string>} words @returns {string[]} */
export function placesIn(words) {
  throw new Error("not yet");
}

/**
 * What is wrong with a word of a command: `{message, hint}`, or null.
 * @param {string} word @param {object} tables section "places" of TABLES.md
 */
export function wordFault(word, tables) {
  throw new Error("not yet");
}

/** What is wrong with a command as a whole (no words at all): `{message, hint}`, or null. @param {readonly string[]} words */
export function commandFault(words) {
  throw new Error("not yet");
}

/** "#sweep" of a list of commands, else "#one". @param {unknown} value */
export function commandForm(value) {
  throw new Error("not yet");
}
