/** A percentile, in one way for all that is summarised. */

/** As numpy has it: on a straight line between the two values around it. */
export function percentile(values, percent) {
  const sorted = Float64Array.from(values).sort();
  const at = ((sorted.length - 1) * percent) / 100;
  const [low, part] = [Math.floor(at), at - Math.floor(at)];
  if (part === 0) return sorted[low];
  const [a, b] = [sorted[low], sorted[low + 1]];
  return part >= 0.5 ? b - (b - a) * (1 - part) : a + (b - a) * part;
}
