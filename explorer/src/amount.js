/** Numbers as reports write them: `metrics/number.py`, and a test compares the two. */

const SIGNIFICANT = 3;
/** What floating point leaves where it subtracts like from like. */
const NOTHING = 1e-9;

/** Three significant digits, never an exponent; a dash for what does not exist. */
export function amount(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (Math.abs(value) < NOTHING) return "0";
  const exponent = Number(value.toExponential(SIGNIFICANT - 1).split("e")[1]);
  const decimals = Math.max(0, SIGNIFICANT - 1 - exponent);
  return halfEven(value, decimals).toFixed(decimals);
}

/** What `toFixed` does not round up where Python rounds to even: exactly between two of so many decimals. */
function halfEven(value, decimals) {
  const scaled = value * 10 ** decimals;
  const isHalfway = Number.isInteger(value * 2 ** (decimals + 1)) && Math.abs(scaled % 1) === 0.5;
  return isHalfway ? (2 * Math.round(scaled / 2)) / 10 ** decimals : value;
}

/** A count and its noun: "1,200 packets". */
export const countedNoun = (count, noun) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
