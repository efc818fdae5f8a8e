// Exact rationals on BigInt: twin of what the package does with Python's `fractions.Fraction`.

const DECIMAL_TEXT = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;
const KEPT_BITS = 66;
const SMALLEST_NORMAL = -1022;
const SMALLEST_BIT = 1074;

/** A rational number in lowest terms; its denominator is positive. */
export class Fraction {
  /**
   * @param {bigint} numerator
   * @param {bigint} denominator not 0n
   */
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new RangeError("a fraction of nothing");
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = greatestDivisor(numerator < 0n ? -numerator : numerator, denominator * sign);
    /** @type {bigint} */
    this.numerator = (sign * numerator) / divisor;
    /** @type {bigint} */
    this.denominator = (sign * denominator) / divisor;
    Object.freeze(this);
  }

  /**
   * Of an integer, of a finite double (exactly), or of decimal text such as "1.5e3".
   * @param {Fraction | bigint | number | string} value
   * @returns {Fraction}
   */
  static of(value) {
    if (value instanceof Fraction) return value;
    if (typeof value === "bigint") return new Fraction(value);
    if (typeof value === "number") return ofDouble(value);
    const match = DECIMAL_TEXT.exec(value);
    if (match === null || !(match[2] || match[3])) throw new RangeError(`no number: ${value}`);
    const [, sign, whole, part = "", exponent = "0"] = match;
    const digits = BigInt(whole + part);
    return new Fraction(sign === "-" ? -digits : digits).times(Fraction.tenTo(Number(exponent) - part.length));
  }

  /**
   * A power of ten, also of a negative exponent.
   * @param {number} exponent
   * @returns {Fraction}
   */
  static tenTo(exponent) {
    const power = 10n ** BigInt(Math.abs(exponent));
    return exponent < 0 ? new Fraction(1n, power) : new Fraction(power);
  }

  /** @param {Fraction | bigint | number} other */
  plus(other) {
    const o = Fraction.of(other);
    return new Fraction(this.numerator * o.denominator + o.numerator * this.denominator, this.denominator * o.denominator);
  }

  /** @param {Fraction | bigint | number} other */
  minus(other) {
    return this.plus(Fraction.of(other).negated());
  }

  /** @param {Fraction | bigint | number} other */
  times(other) {
    const o = Fraction.of(other);
    return new Fraction(this.numerator * o.numerator, this.denominator * o.denominator);
  }

  /** @param {Fraction | bigint | number} other not 0 */
  over(other) {
    const o = Fraction.of(other);
    return new Fraction(this.numerator * o.denominator, this.denominator * o.numerator);
  }

  negated() {
    return new Fraction(-this.numerator, this.denominator);
  }

  absolute() {
    return this.numerator < 0n ? this.negated() : this;
  }

  /**
   * Negative, 0 or positive, as this is less than, equal to or more than the other.
   * @param {Fraction | bigint | number} other
   * @returns {number}
   */
  compare(other) {
    const o = Fraction.of(other);
    const left = this.numerator * o.denominator;
    const right = o.numerator * this.denominator;
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** @param {Fraction | bigint | number} other */
  equals(other) {
    return this.compare(other) === 0;
  }

  get isWhole() {
    return this.denominator === 1n;
  }

  get isZero() {
    return this.numerator === 0n;
  }

  /** @returns {bigint} */
  floor() {
    const quotient = this.numerator / this.denominator; // towards zero
    return this.numerator < 0n && quotient * this.denominator !== this.numerator ? quotient - 1n : quotient;
  }

  /** @returns {bigint} */
  ceiling() {
    return -this.negated().floor();
  }

  /**
   * The nearest integer, and of two the even one, as Python's `round`.
   * @returns {bigint}
   */
  round() {
    const below = this.floor();
    const twice = 2n * (this.numerator - below * this.denominator);
    if (twice !== this.denominator) return twice < this.denominator ? below : below + 1n;
    return below % 2n === 0n ? below : below + 1n;
  }

  /**
   * The nearest double, as Python's `float`; beyond the largest it is infinite.
   * @returns {number}
   */
  toNumber() {
    const magnitude = this.absolute();
    const nearest = magnitude.isZero ? 0 : nearestDouble(magnitude);
    return this.numerator < 0n ? -nearest : nearest;
  }

  toString() {
    return this.isWhole ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}

function greatestDivisor(one, other) {
  let [a, b] = [one, other];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function ofDouble(value) {
  if (!Number.isFinite(value)) throw new RangeError(`no number: ${value}`);
  let scaled = value;
  let shift = 0n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift += 1n;
  }
  return new Fraction(BigInt(scaled), 1n << shift);
}

function bitLength(integer) {
  return integer.toString(2).length;
}

/** More bits than a double keeps, the last of them set if anything is cut off: so the engine's own rounding is right. */
function nearestDouble({ numerator, denominator }) {
  const magnitude = bitLength(numerator) - bitLength(denominator);
  if (magnitude <= SMALLEST_NORMAL) {
    const steps = new Fraction(numerator << BigInt(SMALLEST_BIT), denominator).round();
    return Number(steps) * Number.MIN_VALUE;
  }
  const shift = KEPT_BITS - magnitude;
  const top = shift > 0 ? numerator << BigInt(shift) : numerator;
  const bottom = shift > 0 ? denominator : denominator << BigInt(-shift);
  const quotient = top / bottom;
  const rounded = Number(quotient * bottom === top ? quotient : quotient | 1n);
  const half = Math.trunc(-shift / 2); // in two steps, as 2 ** -shift alone may be beyond a double
  return rounded * 2 ** half * 2 ** (-shift - half);
}
