// Numbers and texts as Python writes them. A bigint is Python's int, a number its float.

/** `str(value)`: of a float always with a point or an exponent ("5.0", "1e-05", "nan"). @param {bigint | number} value */
export function numberText(value) { throw new Error("not yet"); }
/** `f"{value:.{digits}g}"`; `f"{value:g}"` without digits. @param {bigint | number} value */
export function general(value, digits = 6) { throw new Error("not yet"); }
/** `f"{value:.{decimals}f}"`; with `grouped`, `f"{value:,.{decimals}f}"`; with `signed`, a plus too. @param {bigint | number} value */
export function fixed(value, decimals, { grouped = false, signed = false } = {}) { throw new Error("not yet"); }
/** `f"{count:,}"` of an integer. @param {bigint | number} count */
export function thousands(count) { throw new Error("not yet"); }
/** metrics/number.py's `amount`. */
export function amount(value, halfWidth = null, scale = 1, unit = "", { signed = false } = {}) { throw new Error("not yet"); }
/** metrics/number.py's `percent`. */
export function percent(share, halfWidth = null, { signed = false } = {}) { throw new Error("not yet"); }
/** metrics/number.py's `trimmed`. */
export function trimmed(value) { throw new Error("not yet"); }
/** metrics/number.py's `places`. @param {number} value @returns {number} */
export function decimalPlaces(value) { throw new Error("not yet"); }
/** metrics/number.py's `counted`: "1,200 runs". */
export function counted(count, noun) { throw new Error("not yet"); }
/** `repr` of a str. @param {string} text */
export function reprText(text) { throw new Error("not yet"); }
/** `json.dumps(value, sort_keys=True, separators=(",", ":"))` of Maps, objects, arrays, strings, bigint, number, boolean, null. */
export function canonicalJson(value) { throw new Error("not yet"); }
/** Code points, where Python's `len` counts them. @param {string} text */
export function lengthOf(text) { throw new Error("not yet"); }
/** `str.isprintable()`. @param {string} text */
export function isPrintable(text) { throw new Error("not yet"); }
/** `str.strip()` with Python's white space. @param {string} text */
export function stripped(text) { throw new Error("not yet"); }
/** Texts in Python's order, by code points. @param {string} one @param {string} other @returns {number} */
export function byCodePoint(one, other) { throw new Error("not yet"); }
