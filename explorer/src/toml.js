// TOML to words, with the errors of Python's tomllib.

/** `message` is tomllib's, "… (at line 3, column 7)"; `reason` and `place` are its two parts ("line 3, column 7", "" where there is none). */
export class TomlError extends Error {}

/** A number or a nesting beyond all measure, where Python raises a plain ValueError or a RecursionError. */
export class TomlBeyondError extends Error {}

/**
 * Tables are Maps in the order written, arrays Arrays, integers bigint, floats number, dates and times
 * `{toml: "datetime" | "date" | "time", text}`.
 * @param {string} text @returns {Map<string, unknown>} throws TomlError, TomlBeyondError
 */
export function parse(text) {
  throw new Error("not yet");
}
