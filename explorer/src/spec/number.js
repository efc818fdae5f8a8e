// Numbers and texts as Python writes them: `str`, `repr`, `format`, `json.dumps`, and python/dumbbell/metrics/number.py.
// A bigint is Python's int, a number its float: 5n is "5" and 5 is "5.0".

import { Fraction } from "./fraction.js";

const ABSENT = "-";
const SHOWN_DIGITS = 3;
/** What floating point leaves where it subtracts like from like. */
const NOTHING = 1e-9;
const FEWEST_EXPONENT_DIGITS = 2;
const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** Python's white space, as the inside of a class of characters: JavaScript's \s has U+FEFF and lacks U+001C and others. */
export const WHITE_SPACE = SPACES;

const SPACE_AROUND = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, "g");
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

/**
 * `str(value)`.
 * @param {bigint | number} value
 * @returns {string}
 */
export function numberText(value) {
  if (typeof value === "bigint") return value.toString();
  const special = specialText(value);
  if (special !== null) return special;
  const [mantissa, power] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const text = exponent >= -4 && exponent < 16 ? positional(digits, exponent, true) : scientific(digits, exponent);
  return signOf(value) + text;
}

/**
 * `f"{value:g}"`, or `f"{value:.{digits}g}"`.
 * @param {bigint | number} value
 * @param {number} digits at least 1
 * @returns {string}
 */
export function general(value, digits = 6) {
  const number = Number(value);
  const special = specialText(number);
  if (special !== null) return special;
  const [all, exponent] = significant(Math.abs(number), digits);
  const kept = all.replace(/0+$/, "") || "0";
  const text = exponent >= -4 && exponent < digits ? positional(kept, exponent, false) : scientific(kept, exponent);
  return signOf(number) + text;
}

/**
 * `f"{value:.{decimals}f}"`; grouped `f"{value:,.{decimals}f}"`; signed with a plus where there is no minus.
 * @param {bigint | number} value
 * @param {number} decimals
 * @param {{grouped?: boolean, signed?: boolean}} how
 * @returns {string}
 */
export function fixed(value, decimals, { grouped = false, signed = false } = {}) {
  const number = Number(value);
  const sign = signOf(number) || (signed ? "+" : "");
  const special = specialText(Math.abs(number));
  if (special !== null) return sign + special;
  const [whole, part] = fixedDigits(Math.abs(number), decimals).split(".");
  return sign + (grouped ? groups(whole) : whole) + (part === undefined ? "" : `.${part}`);
}

/**
 * `f"{count:,}"`.
 * @param {bigint | number} count a whole number
 * @returns {string}
 */
export function thousands(count) {
  const integer = BigInt(count);
  return integer < 0n ? `-${groups((-integer).toString())}` : groups(integer.toString());
}

/**
 * A value times `scale`, with the half-width of its interval where it has one, both to the same place, and a unit.
 * @param {number | null} value
 * @param {number | null} halfWidth
 * @param {number} scale
 * @param {string} unit
 * @param {{signed?: boolean}} how
 * @returns {string}
 */
export function amount(value, halfWidth = null, scale = 1, unit = "", { signed = false } = {}) {
  if (value === null || value === undefined) return ABSENT;
  const scaled = value * scale;
  if (!Number.isFinite(scaled)) return ABSENT;
  const half = halfWidth && Number.isFinite(halfWidth) ? Math.abs(scale * halfWidth) : 0;
  const larger = Math.max(Math.abs(scaled), half);
  if (larger < NOTHING) return `0${unit}`;
  const decimals = decimalPlaces(larger);
  let text = fixed(scaled, decimals, { signed });
  if (Number(text) === 0) text = text.replace(/^[+-]+/, "");
  if (!half) return text + unit;
  const width = fixed(half, decimals);
  return `${text} ± ${Number(width) ? width : `< ${fixed(10 ** -decimals, decimals)}`}${unit}`;
}

/**
 * A share as `amount` writes it, in %.
 * @param {number | null} share
 * @param {number | null} halfWidth
 * @param {{signed?: boolean}} how
 * @returns {string}
 */
export function percent(share, halfWidth = null, { signed = false } = {}) {
  return amount(share, halfWidth, 100, " %", { signed });
}

/**
 * Without the zeros at the end.
 * @param {number | null} value
 * @returns {string}
 */
export function trimmed(value) {
  const text = amount(value);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/**
 * Decimal places that show three significant digits of a value: Python's `places`.
 * @param {number} value finite
 * @returns {number}
 */
export function decimalPlaces(value) {
  const [, exponent] = significant(Math.abs(value), SHOWN_DIGITS);
  return Math.max(0, SHOWN_DIGITS - 1 - exponent);
}

/**
 * A count and its noun: "1,200 runs". Python's `counted`.
 * @param {bigint | number} count
 * @param {string} noun
 * @returns {string}
 */
export function countedNoun(count, noun) {
  return `${thousands(count)} ${noun}${BigInt(count) === 1n ? "" : "s"}`;
}

/**
 * `len(text)`: code points, not the UTF-16 units of `text.length`.
 * @param {string} text
 * @returns {number}
 */
export function lengthOf(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * `text[:count]`.
 * @param {string} text
 * @param {number} count code points
 * @returns {string}
 */
export function firstOf(text, count) {
  return text.length <= count ? text : Array.from(text).slice(0, count).join("");
}

/**
 * `text.isprintable()`. What counts as a letter grows with Unicode: Python and a browser differ in signs that the older
 * of the two does not know.
 * @param {string} text
 * @returns {boolean}
 */
export function isPrintable(text) {
  for (const sign of text) if (sign !== " " && UNPRINTABLE.test(sign)) return false;
  return true;
}

/**
 * `text.strip()`.
 * @param {string} text
 * @returns {string}
 */
export function stripped(text) {
  return text.replace(SPACE_AROUND, "");
}

/**
 * The order of Python's texts, by code points, for `Array.sort`.
 * @param {string} one
 * @param {string} other
 * @returns {number}
 */
export function byCodePoint(one, other) {
  const left = Array.from(one);
  const right = Array.from(other);
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const difference = left[i].codePointAt(0) - right[i].codePointAt(0);
    if (difference) return difference;
  }
  return left.length - right.length;
}

/**
 * `repr(text)`.
 * @param {string} text
 * @returns {string}
 */
export function reprText(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [quote]: `\\${quote}` };
  return quote + Array.from(text, (sign) => named[sign] ?? (isPrintable(sign) ? sign : escapedSign(sign))).join("") + quote;
}

/**
 * `json.dumps(value, sort_keys=True, separators=(",", ":"))`; tables may be Maps or objects.
 * @param {unknown} value
 * @returns {string}
 */
export function canonicalJson(value) {
  if (value === null) return "null";
  if (typeof value === "string") return jsonText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "NaN";
    return Number.isFinite(value) ? numberText(value) : value < 0 ? "-Infinity" : "Infinity";
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  entries.sort(([one], [other]) => byCodePoint(one, other));
  return `{${entries.map(([key, each]) => `${jsonText(key)}:${canonicalJson(each)}`).join(",")}}`;
}

/** Python's `json` writes ASCII only; JavaScript's leaves all but control signs and halves of pairs as they are. */
function jsonText(text) {
  return JSON.stringify(text).replace(/[\x7f-\uffff]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
}

function escapedSign(sign) {
  const point = sign.codePointAt(0);
  if (point < 0x100) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

function hex(integer, digits) {
  return integer.toString(16).padStart(digits, "0");
}

function signOf(number) {
  return number < 0 || Object.is(number, -0) ? "-" : "";
}

function specialText(number) {
  if (Number.isNaN(number)) return "nan";
  return Number.isFinite(number) ? null : number < 0 ? "-inf" : "inf";
}

function groups(digits) {
  return digits.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}

/** Digits with the point where the exponent of the first one says; whole numbers end in ".0" if `pointed`. */
function positional(digits, exponent, pointed) {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const part = digits.slice(exponent + 1);
  return part || pointed ? `${whole}.${part || "0"}` : whole;
}

function scientific(digits, exponent) {
  const power = Math.abs(exponent).toString().padStart(FEWEST_EXPONENT_DIGITS, "0");
  return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${exponent < 0 ? "-" : "+"}${power}`;
}

/** A number that is exactly between two of so many decimals is a multiple of a power of a half. */
function mayBeHalfway(number, decimals) {
  return Number.isInteger(number * 2 ** (decimals + 1));
}

/** As `toFixed`, which rounds halves up where Python rounds them to even, and ends at 100 decimals and 1e21. */
function fixedDigits(number, decimals) {
  if (number < 1e21 && decimals <= 100 && !mayBeHalfway(number, decimals)) return number.toFixed(decimals);
  const digits = Fraction.of(number).times(Fraction.tenTo(decimals)).round().toString().padStart(decimals + 1, "0");
  return decimals ? `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}` : digits;
}

/**
 * So many significant digits of a number that is not negative, and the exponent of the first.
 * @returns {[string, number]}
 */
function significant(number, count) {
  if (number === 0) return ["0".repeat(count), 0];
  const [mantissa, power] = number.toExponential(Math.min(count - 1, 100)).split("e");
  const exponent = Number(power);
  const decimals = count - 1 - exponent;
  if (decimals >= 0 && !mayBeHalfway(number, decimals)) return [mantissa.replace(".", ""), exponent];
  const exact = Fraction.of(number);
  let first = Math.floor(Math.log10(number));
  while (exact.compare(Fraction.tenTo(first)) < 0) first -= 1; // the logarithm may be next to the truth
  while (exact.compare(Fraction.tenTo(first + 1)) >= 0) first += 1;
  const digits = exact.times(Fraction.tenTo(count - 1 - first)).round().toString();
  return digits.length > count ? [digits.slice(0, count), first + 1] : [digits, first];
}
