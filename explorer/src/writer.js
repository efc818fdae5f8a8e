// Words as TOML. Twin of python/dumbbell/spec/writer.py.

/**
 * TOML that says the same, in the order of the words; tables that say nothing are left out.
 * @param {Map<string, unknown>} words as `parse` gives them
 * @param {object} tables section "writer" of TABLES.md
 * @returns {string}
 */
export function toml(words, tables) {
  throw new Error("not yet");
}

/** A scalar, list or table as TOML writes it on the right of "=". @param {unknown} value */
export function tomlValue(value) {
  throw new Error("not yet");
}
