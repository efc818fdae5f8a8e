// Quantities: text with a unit in, integers in base units out. Twin of python/dumbbell/spec/quantity.py and of the kinds
// in python/dumbbell/spec/tables.py. Arithmetic is exact; what is finer than the base unit rounds half to even.
//
// Needed of the tables, `quantities` (see TABLES.md): of each kind its base, noun, zero, usual, units, keywords, bounds
// and methods. What a kind does by itself (spellings, units that it refuses) is here.

import { Fraction } from "./fraction.js";
import { general, lengthOf, numberText, stripped, WHITE_SPACE } from "./number.js";
import { quoted, suggestion } from "./problem.js";

/** A number of as many without a unit is likely in base units. */
const MANY = 10n ** 6n;
const LARGEST_WRITTEN = 10n ** 15n;
const LONGEST_QUANTITY = 80;
const LARGEST_EXPONENT = 60n;
const DECIMAL_DIGITS = 28;

const NUMBER_AND_UNIT = new RegExp(
  `^([+-]?)((?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?) *([^${WHITE_SPACE}][^\\n]*|)$`,
);
/** Without regard to case as Python sees it, to which both dotless and dotted i are an i. */
const NOT_FINITE = /^[+-]?(?:nan|[iıİ]nf|[iıİ]nf[iıİ]n[iıİ]ty)(?![\p{L}\p{N}_])/iu;

/** A text that is no quantity of the kind wanted. */
export class QuantityError extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   */
  constructor(message, hint) {
    super(message);
    this.name = "QuantityError";
    this.hint = hint;
  }
}

/**
 * A text with a number and a unit, kept as written.
 *
 * `Kind.read(value)` gives one: its `text` as written, `number` (a Fraction, as written), `unit` (spelt as in `units`)
 * and `value` (a bigint in base units). A keyword ("until done") has only its text. The value has the name that it has
 * in Python: `bps`, `ns`, `ppb`, `bytes`; `perS` is a number; of a Moment it is `ns(durationNs)`.
 */
export class Quantity {
  /** @type {string} */ static noun;
  /** The unit of nothing. @type {string} */ static zero;
  /** The units that one means without saying so, each with a number as an example. @type {Map<string, string>} */ static usual;
  /** Base units in each unit. @type {Map<string, bigint>} */ static units;
  /** Words that may stand in place of a number with a unit. @type {readonly string[]} */ static keywords;
  /** Words that people write in place of a number, each with what to write. @type {Map<string, string>} */ static refused;
  /** What is admitted by the kind itself. @type {Bounds | null} */ static bounds;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.take(text);
    Object.freeze(this);
  }

  /**
   * Throws QuantityError unless the value is such a text.
   * @param {unknown} value
   * @returns {Quantity}
   */
  static read(value) {
    if (typeof value === "bigint" || typeof value === "number") {
      const what = typeof value === "bigint" || Number.isFinite(value) ? "has no unit" : "is not a finite number";
      throw new QuantityError(`${quoted(value)} ${what}`, this.advice(writtenNumber(value)));
    }
    if (typeof value !== "string") throw new QuantityError(`${quoted(value)} is not ${this.noun}`, this.advice());
    return new this(value);
  }

  toString() {
    return this.text;
  }

  /**
   * Take number, unit and value out of the text: Python's `read`.
   * @param {string} text
   */
  take(text) {
    const kind = /** @type {typeof Quantity} */ (this.constructor);
    const plain = stripped(text);
    const match = lengthOf(text) <= LONGEST_QUANTITY ? NUMBER_AND_UNIT.exec(plain) : null;
    if (match === null) {
      const what = NOT_FINITE.test(plain) ? "a finite number" : kind.noun;
      throw new QuantityError(`${quoted(text)} is not ${what}`, kind.instead(text) || kind.advice());
    }
    const [, sign, number, unit] = match;
    if (!unit) throw new QuantityError(`${quoted(text)} has no unit`, kind.advice(number));
    const spelt = kind.spelling(unit);
    if (spelt === null) throw kind.unknownUnit(text, number, unit);
    this.unit = spelt;
    this.number = exactNumber(number);
    if (sign === "-" && !this.number.isZero) {
      throw new QuantityError(`${quoted(text)} is negative`, `write "${number} ${spelt}"`);
    }
    const exact = this.number.times(kind.units.get(spelt));
    this.value = exact.round();
    if (!exact.isZero && this.value === 0n) {
      throw new QuantityError(`${quoted(text)} is less than can be told from nothing`, `use at least ${kind.show(1n)}`);
    }
  }

  /**
   * What to write in place of words; empty of what is no known one.
   * @param {string} text
   */
  static instead(text) {
    const word = /^ *([A-Za-z]+)(?![A-Za-z])/.exec(text)?.[1];
    return word ? (this.refused.get(word.toLowerCase()) ?? suggestion(word, [])) : "";
  }

  /**
   * Say what to write: the user's own number with a unit, or an example where there is none that can be read.
   * @param {string} number
   * @returns {string}
   */
  static advice(number = "") {
    let own = number && exactNumber(number).compare(MANY) < 0 ? this.readable(number, this.usual.keys()) : [];
    if (!own.length && number) own = this.readable(number, [this.smallestUnit()]);
    const start = own.length ? "write it with a unit, as" : "write it as";
    const examples = own.length ? own : Array.from(this.usual, ([unit, each]) => `${each} ${unit}`);
    const shown = [...examples, ...this.keywords].map(quoted);
    const last = shown.pop();
    return `${start} ${shown.join(", ")}${shown.length ? " or " : ""}${last}`;
  }

  /**
   * @param {string} number
   * @param {Iterable<string>} units
   * @returns {string[]} what the number is with each of the units with which it can be read
   */
  static readable(number, units) {
    return Array.from(units, (unit) => `${number} ${unit}`).filter((text) => isReadable(this, text));
  }

  static smallestUnit() {
    return [...this.units].reduce((least, each) => (each[1] < least[1] ? each : least))[0];
  }

  /**
   * Spell a unit as `units` does; null: unknown.
   * @param {string} unit
   * @returns {string | null}
   */
  static spelling(unit) {
    return this.units.has(unit) ? unit : null;
  }

  /**
   * Tell why this unit is refused.
   * @param {string} text
   * @param {string} number
   * @param {string} unit
   * @returns {QuantityError}
   */
  static unknownUnit(text, number, unit) {
    return new QuantityError(`${quoted(text)}: unknown unit ${quoted(unit)}`, suggestion(unit, [...this.units.keys()]));
  }

  /**
   * Write a value in base units as text that reads back as the same value.
   * @param {bigint | number} value a whole number
   * @returns {string}
   */
  static show(value) {
    const whole = BigInt(value);
    if (whole === 0n) return `0 ${this.zero}`;
    let [unit, exponent] = [this.zero, decimalExponent(this.units.get(this.zero))];
    let most = 0n;
    for (const [each, scale] of this.units) {
      if (decimalExponent(scale) === null || scale > whole || scale <= most) continue;
      [unit, exponent, most] = [each, decimalExponent(scale), scale];
    }
    return `${decimalText(whole, -exponent)} ${unit}`;
  }
}

/** What is not outside of two quantities, which belong to it. */
export class Bounds {
  /**
   * @param {Quantity} least
   * @param {Quantity} most
   */
  constructor(least, most) {
    this.least = least;
    this.most = most;
    Object.freeze(this);
  }

  /** @param {Quantity} quantity */
  admit(quantity) {
    return this.least.value <= quantity.value && quantity.value <= this.most.value;
  }

  toString() {
    return `from ${this.least} to ${this.most}`;
  }
}

/** What kinds do by themselves: by name, a class on top of that of the base. */
const OWN_WAYS = {
  Rate: (Base) =>
    class extends Base {
      get bps() {
        return this.value;
      }

      static spelling(unit) {
        const wanted = `${unit.toLowerCase().replace(/\/s$/, "")}/s`;
        return [...this.units.keys()].findLast((known) => known.toLowerCase() === wanted) ?? null;
      }

      static unknownUnit(text, number, unit) {
        const byPrefix = prefixes(this.units, "bit/s");
        const inBytes = /^([kKmMGgT]?)(i?)B(?:\/s(?:ec)?)?$/.exec(unit);
        if (inBytes !== null) {
          const prefix = inBytes[1].toLowerCase();
          const thousands = inBytes[2] ? [...byPrefix.keys()].indexOf(prefix) : 0;
          const bits = writtenTimes(number, 8n * 1024n ** BigInt(thousands), -3 * thousands);
          const hint = bits ? `write bits: "${bits} ${byPrefix.get(prefix)}"` : this.advice();
          return new QuantityError(`${quoted(text)} is in bytes`, hint);
        }
        const inBits = /^([kmgt]?)(?:bps|b\/s|bits|bits?\/sec|bits\/s|bitps|b)$/.exec(unit.toLowerCase());
        if (inBits !== null) {
          return new QuantityError(
            `${quoted(text)} is ambiguous: tools read ${quoted(unit)} as bits or as bytes a second`,
            `write "${number} ${byPrefix.get(inBits[1])}"`,
          );
        }
        return super.unknownUnit(text, number, unit);
      }
    },

  Time: (Base) =>
    class extends Base {
      get ns() {
        return this.value;
      }

      static unknownUnit(text, number, unit) {
        const meant = MEANT_TIMES.get(unit.toLowerCase());
        if (meant) return new QuantityError(`${quoted(text)}: unknown unit ${quoted(unit)}`, `write "${number} ${meant}"`);
        if (/^[a-z]+,? +[0-9][^\n]*$/.test(unit)) {
          return new QuantityError(`${quoted(text)} is more than a time`, "write one; path.jitter delays packets, in order");
        }
        if (unit === "m") {
          return new QuantityError(`${quoted(text)} is ambiguous: "m"`, `write "${number} min" or "${number} ms"`);
        }
        return super.unknownUnit(text, number, unit);
      }
    },

  Frequency: (Base) =>
    class extends Base {
      get perS() {
        return this.number.toNumber();
      }

      static unknownUnit(text, number, unit) {
        const meant = MEANT_FREQUENCIES.get(unit.toLowerCase());
        if (meant === undefined) return super.unknownUnit(text, number, unit);
        const hint = isTold(number) ? `write "${general(Number(number) * meant)} /s"` : this.advice();
        return new QuantityError(`${quoted(text)}: unknown unit ${quoted(unit)}`, hint);
      }
    },

  Share: (Base) =>
    class extends Base {
      get ppb() {
        return this.value;
      }
    },

  Bytes: (Base) =>
    class extends Base {
      get bytes() {
        return this.value;
      }

      static unknownUnit(text, number, unit) {
        const ambiguous = /^([kmg])b?$/.exec(unit.toLowerCase());
        if (ambiguous !== null) {
          const decimal = { k: "kB", m: "MB", g: "GB" }[ambiguous[1]];
          const binary = { k: "KiB", m: "MiB", g: "GiB" }[ambiguous[1]];
          return new QuantityError(
            `${quoted(text)} is ambiguous: bits or bytes, of 1000 or of 1024`,
            `write "${number} ${decimal}" (decimal) or "${number} ${binary}" (binary)`,
          );
        }
        const inBits = /^(?:([kmg]?)bits?|b)$/.exec(unit === "B" ? "" : unit.toLowerCase());
        if (inBits !== null) {
          const amount = writtenTimes(number, 125n, -3);
          const hint = amount ? `write bytes: "${amount} ${prefixes(this.units, "B").get(inBits[1] ?? "")}"` : this.advice();
          return new QuantityError(`${quoted(text)} is in bits`, hint);
        }
        return super.unknownUnit(text, number, unit);
      }
    },

  Size: (Base) =>
    class extends Base {
      static spelling(unit) {
        const lower = unit.toLowerCase();
        if (lower === "packet" || lower === "packets") return "packets";
        return lower === "bdp" ? "bdp" : super.spelling(unit);
      }

      /** How long its line takes to fill it on a path of this base round-trip time; null of one in bytes or packets. */
      fillsNs(rttNs) {
        if (this.unit === "bdp") return new Fraction(this.value, PPB).times(rttNs);
        return FILLING_TIMES.has(this.unit) ? new Fraction(this.value) : null;
      }

      take(text) {
        super.take(text);
        if (this.unit === "packets" && !this.number.isWhole) {
          throw new QuantityError(`${quoted(text)}: packets are whole`, `write "${this.number.round()} packets"`);
        }
      }
    },

  Moment: (Base) =>
    class extends Base {
      /** Nanoseconds from the run's beginning. @param {bigint} durationNs */
      ns(durationNs) {
        return this.unit === "%" ? this.number.times(durationNs).over(100n).round() : this.value;
      }
    },

  Duration: (Base) =>
    class extends Base {
      /** Until every finite transfer is complete. */
      get untilDone() {
        return this.text === "until done";
      }

      take(text) {
        if (text !== "until done") {
          super.take(text);
          admit(this, text);
        }
      }
    },

  SocketMemory: (Base) =>
    class extends Base {
      /** The keyword, if it is one, else null. */
      get keyword() {
        return this.constructor.keywords.includes(this.text) ? this.text : null;
      }

      take(text) {
        if (!this.constructor.keywords.includes(text)) {
          super.take(text);
          admit(this, text);
        }
      }
    },

  Jitter: (Base) =>
    class extends Base {
      static spelling(unit) {
        const lower = unit.toLowerCase();
        return lower === "packet" || lower === "packets" ? "packet" : super.spelling(unit);
      }

      take(text) {
        if (text === "none") {
          [this.number, this.value, this.unit] = [new Fraction(0n), 0n, "ns"];
          return;
        }
        super.take(text);
        if (!this.value) throw new QuantityError(`${quoted(text)} is no noise`, 'write "none"');
        if (this.unit !== "packet") admit(this, text, ', or "none"');
      }
    },
};

const PPB = 10n ** 9n;
const FILLING_TIMES = new Set(["ns", "us", "ms", "s"]);
const MEANT_TIMES = new Map([
  ...["sec", "secs", "second", "seconds"].map((unit) => [unit, "s"]),
  ["msec", "ms"],
  ...["usec", "\u00b5s", "\u03bcs"].map((unit) => [unit, "us"]), // the sign micro, and the Greek letter
  ["nsec", "ns"],
  ...["minute", "minutes"].map((unit) => [unit, "min"]),
]);
const MEANT_FREQUENCIES = new Map([
  ...["hz", "per s", "per second", "/sec", "1/s"].map((unit) => [unit, 1]),
  ["/ms", 1000],
  ["/min", 1 / 60],
]);
/** Python's methods with a twin here: where each is, and its name. */
const METHODS = [
  ["read", (kind) => kind.prototype, "take"],
  ["spelling", (kind) => kind, "spelling"],
  ["unknown_unit", (kind) => kind, "unknownUnit"],
];

/**
 * The kinds that the tables have, by name: Rate, Time, Frequency, Share, Bytes, Size, Moment, Duration, SocketMemory,
 * Jitter. Throws where Python's classes do something by themselves that these do not, or the other way round.
 * @param {{quantities: Record<string, object>}} tables
 * @returns {Record<string, typeof Quantity>}
 */
export function quantityKinds(tables) {
  const kinds = {};
  for (const [name, row] of Object.entries(tables.quantities)) {
    const base = row.base === null ? Quantity : kinds[row.base];
    const kind = OWN_WAYS[name]?.(base) ?? class extends base {};
    const methods = METHODS.filter(([, owner, own]) => Object.hasOwn(owner(kind), own)).map(([method]) => method);
    if (methods.join() !== [...row.methods].sort().join()) {
      throw new Error(`${name} has ${row.methods.join(", ") || "no methods"} in Python and ${methods.join(", ") || "none"} here`);
    }
    Object.defineProperty(kind, "name", { value: name });
    kind.noun = row.noun;
    kind.zero = row.zero;
    kind.usual = new Map(Object.entries(row.usual));
    kind.units = new Map(Object.entries(row.units).map(([unit, scale]) => [unit, BigInt(scale)]));
    kind.keywords = row.keywords;
    kind.refused = new Map(Object.entries(row.refused));
    kind.bounds = row.bounds && new Bounds(...row.bounds.map((text) => base.read(text)));
    kinds[name] = kind;
  }
  return kinds;
}

/**
 * The number at the beginning of any text, and the unit behind it as written; null of a text that is no quantity.
 * @param {string} text
 * @returns {[number, string] | null}
 */
export function numberAndUnit(text) {
  const match = lengthOf(text) <= LONGEST_QUANTITY ? NUMBER_AND_UNIT.exec(stripped(text)) : null;
  if (match === null) return null;
  const [, sign, number, unit] = match;
  const isUnit = !unit || /^\p{L}/u.test(unit) || unit === "%" || unit === "/s";
  return isUnit ? [exactNumber(sign + number).toNumber(), unit] : null;
}

/**
 * The number by which quantities are put in order: in base units where the unit is known, else as written.
 * @param {string} text
 * @param {Record<string, typeof Quantity>} kinds
 * @returns {number | null}
 */
export function magnitude(text, kinds) {
  for (const kind of [kinds.Rate, kinds.Moment, kinds.Size]) {
    if (isReadable(kind, text)) return Number(kind.read(text).value);
  }
  return numberAndUnit(text)?.[0] ?? null;
}

function isReadable(kind, text) {
  try {
    kind.read(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function admit(quantity, text, otherwise = "") {
  const { bounds } = quantity.constructor;
  if (!bounds.admit(quantity)) throw new QuantityError(`${quoted(text)} is out of range`, `${bounds}${otherwise}`);
}

/** A number as a text would have it; "" of one that no quantity has. */
function writtenNumber(number) {
  const positive = number < 0 ? -number : number;
  return positive < LARGEST_WRITTEN ? numberText(Object.is(positive, -0) ? 0 : positive) : "";
}

/** Read a number; those that are absurdly large or small become merely huge or tiny, to be refused by a bound. */
function exactNumber(number) {
  const [digits, exponent = "0"] = number.toLowerCase().split("e");
  const written = BigInt(exponent.replace(/^\+/, ""));
  const power = written > LARGEST_EXPONENT ? LARGEST_EXPONENT : written < -LARGEST_EXPONENT ? -LARGEST_EXPONENT : written;
  return Fraction.of(digits).times(Fraction.tenTo(Number(power)));
}

/** By its prefix in lower case, each decimal unit that ends so: "m" is of "Mbit/s". */
function prefixes(units, ending) {
  const decimal = [...units.keys()].filter((unit) => unit.endsWith(ending) && /^[kMGT]?$/.test(unit.slice(0, -ending.length)));
  return new Map(decimal.map((unit) => [unit.slice(0, -ending.length).toLowerCase(), unit]));
}

/** Zeros of a power of ten; null of anything else. Python asks for signs 1 and 0 only, which is the same for its units. */
function decimalExponent(scale) {
  return /^10*$/.test(scale.toString()) ? scale.toString().length - 1 : null;
}

/** Whether a hint can tell a number, from a text, in another unit: no quantity has one that is larger or smaller. */
function isTold(number) {
  const exact = exactNumber(number);
  return exact.isZero || (exact.compare(LARGEST_WRITTEN) < 0 && exact.times(LARGEST_WRITTEN).compare(1n) >= 0);
}

/** A number from a text times an integer and a power of ten, as Python's decimals have it; "" of one that no hint can tell. */
function writtenTimes(number, factor, power) {
  if (!isTold(number)) return "";
  const [mantissa, written = "0"] = number.toLowerCase().split("e");
  const [whole, part = ""] = mantissa.split(".");
  return decimalText(BigInt(whole + part) * factor, Number(written) - part.length + power);
}

function toDecimalDigits(digits, exponent) {
  const excess = digits.toString().length - DECIMAL_DIGITS;
  if (excess <= 0) return [digits, exponent];
  const kept = new Fraction(digits, 10n ** BigInt(excess)).round();
  return [kept, exponent + excess];
}

/** `f"{decimal.normalize():f}"`: no exponent, no zeros at the end. */
function shownDecimal([digits, exponent]) {
  if (digits === 0n) return "0";
  if (exponent >= 0) return digits.toString() + "0".repeat(exponent);
  const padded = digits.toString().padStart(1 - exponent, "0");
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`.replace(/\.?0+$/, "");
}

function decimalText(digits, exponent) {
  return shownDecimal(toDecimalDigits(digits, exponent));
}
