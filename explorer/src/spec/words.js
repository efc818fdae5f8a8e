// The words of a program: what each may be, and what stands in them for addresses and numbers.
// Twin of python/dumbbell/spec/words.py; the places come from the tables (section "places" of TABLES.md).

import { quoted, suggestion } from "./problem.js";

const BRACES = /\{\{|\}\}|\{([^{}]*)\}|([{}])/g;

/**
 * The names that stand in braces, whether there are such or not; two braces are a brace itself. Python's `places`.
 * @param {Iterable<string>} words
 * @returns {string[]}
 */
export function placesIn(words) {
  return Array.from(words).flatMap((word) =>
    [...word.matchAll(BRACES)].map(([, name]) => name).filter((name) => name !== undefined),
  );
}

/**
 * What is wrong with a word of a command, or null: each is of at least one character, with braces only around names that
 * there are. Python's `_proper_word`.
 * @param {string} word
 * @param {{places: Record<string, string>}} tables
 * @returns {{message: string, hint: string} | null}
 */
export function wordFault(word, tables) {
  if (!word) return { message: "an empty word", hint: "leave it out" };
  if (word.includes("\0")) {
    return { message: `${quoted(word)} has a zero byte, which ends an argument`, hint: "leave it out" };
  }
  if ([...word.matchAll(BRACES)].some(([, , lone]) => lone)) {
    return { message: `${quoted(word)} has a brace without a partner`, hint: "a brace itself is written {{ or }}" };
  }
  const known = Object.keys(tables.places);
  const strange = placesIn([word]).find((name) => !known.includes(name));
  if (strange === undefined) return null;
  const told = suggestion(strange, known.map((place) => `{${place}}`));
  return { message: `${quoted(`{${strange}}`)} stands for nothing`, hint: `${told}; a brace itself is written {{ or }}` };
}

/**
 * What is wrong with a command as a whole, or null. Python's `_proper_command`.
 * @param {readonly string[]} words
 * @returns {{message: string, hint: string} | null}
 */
export function commandFault(words) {
  return words.length ? null : { message: "the list is empty", hint: "write the program's name and its arguments" };
}

/**
 * The tag that tells a list of commands, which is a sweep, from the words of one. Python's `_form`.
 * @param {unknown} value
 * @returns {"#sweep" | "#one"}
 */
export function commandForm(value) {
  return Array.isArray(value) && Array.isArray(value[0]) ? "#sweep" : "#one";
}
