/** Places of a slider: each step is as many percent more than the last. */

/** Steps of a slider. */
export const STEPS = 400;

/** The number at a place between two ends, in few digits. */
export function numberAt(place, [low, high]) {
  const number = low * (high / low) ** (place / STEPS);
  return Number(number.toPrecision(number < 10 ? 2 : 3));
}

/** The place of a number, at an end where it is beyond. */
export function placeOf(number, [low, high]) {
  if (!(number > 0)) return 0;
  return Math.min(STEPS, Math.max(0, Math.round((STEPS * Math.log(number / low)) / Math.log(high / low))));
}
