// Quantities: text with a unit in, integers in base units out. Twin of python/dumbbell/spec/quantity.py.
// Units and nouns are of the tables (section "quantities" of TABLES.md).

/** A text that is no quantity of the kind wanted. */
export class QuantityError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(`${message}; ${hint}`);
    this.name = "QuantityError";
    this.told = message;
    this.hint = hint;
  }
}

/**
 * A text with a number and a unit, kept as written.
 *
 * `Kind.read(value)` throws a QuantityError unless the value is such a text. Of what it gives, `text` is the text as
 * written, `number` a Fraction as written, `unit` spelt as in `units`, `value` a bigint in base units; the same value
 * has the name that it has in Python: `bps`, `ns`, `ppb`, `bytes` (bigint); `perS` (number); of a Moment it is
 * `ns(durationNs)`. A Duration has `untilDone`, a SocketMemory `keyword`.
 *
 * Of a kind: `noun`, `zero`, `usual`, `units` (unit to bigint), `keywords`, `bounds` (`null` or two quantities),
 * `Kind.show(value)` (base units to text), `Kind.advice(number)`, `Kind.spelling(unit)`.
 */
export class Quantity {
  /** @param {unknown} value @returns {Quantity} */
  static read(value) {
    throw new Error("not yet");
  }
  /** @param {bigint | number} value in base units @returns {string} text that reads back as the same value */
  static show(value) {
    throw new Error("not yet");
  }
}

/**
 * The kinds that the tables have, by name: `{Rate, Time, Frequency, Share, Bytes, Size, Moment, Duration, SocketMemory, Jitter}`.
 * @param {object} tables
 * @returns {Record<string, typeof Quantity>}
 */
export function quantityKinds(tables) {
  throw new Error("not yet");
}

/**
 * The number at the beginning of any text, and the unit behind it as written; null of a text that is no quantity.
 * @param {string} text
 * @returns {[number, string] | null}
 */
export function numberAndUnit(text) {
  throw new Error("not yet");
}

/**
 * The number by which quantities are put in order: in base units where the unit is known, else as written.
 * @param {string} text
 * @param {Record<string, typeof Quantity>} kinds
 * @returns {number | null}
 */
export function magnitude(text, kinds) {
  throw new Error("not yet");
}
