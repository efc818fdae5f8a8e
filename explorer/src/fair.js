/** What would be fair: twins of `experiment/points.py` and `metrics/sharing.py`. */

import { ratesInTime } from "./line.js";

/**
 * What each group of a planned run would have of the goodput if at any time all flows that are there had the same. Empty of one
 * group, where flows do not all pass the same queues, and where a flow does not always take what it gets: a workload that ends or
 * pauses, or a slow line of its own.
 */
export function fairSharesOf({ run, names, start_jitters_ns }) {
  const { path, flows, measure } = run;
  const equal_bps = Math.min(path.rate_bps, ...ratesInTime(path).map(([, rate_bps]) => rate_bps).filter((rate_bps) => rate_bps > 0)) / flows.length;
  const isGreedy = flows.every(({ workload, access }) => workload === "bulk" && (!access || access.rate_bps >= equal_bps));
  const ways = new Set(flows.map(({ direction, route }) => JSON.stringify([direction, route?.data])));
  if (!isGreedy || ways.size > 1 || new Set(names).size === 1) return new Map();
  const { window_begin_ns: begin_ns, window_end_ns: end_ns } = measure;
  const stays = flows.map(({ start_ns, stop_ns }, flow) => {
    const start = start_ns - start_jitters_ns[flow]; // every seed has the same
    return { group: names[flow], begin: Math.max(start, begin_ns), end: Math.min(stop_ns ?? end_ns, end_ns) };
  });
  return fairShares(stays.filter(({ begin, end }) => begin < end), names);
}

/** Each group's part, its mean over the time with any flow. */
function fairShares(stays, names) {
  const moments = [...new Set(stays.flatMap(({ begin, end }) => [begin, end]))].sort((a, b) => a - b);
  const parts = new Map(names.map((name) => [name, 0]));
  moments.slice(1).forEach((until, i) => {
    const there = stays.filter(({ begin, end }) => begin <= moments[i] && end >= until);
    for (const { group } of there) parts.set(group, parts.get(group) + (until - moments[i]) / there.length);
  });
  const all = [...parts.values()].reduce((sum, part) => sum + part, 0);
  return all ? new Map([...parts].map(([name, part]) => [name, part / all])) : new Map();
}

/** The levels of a sweep of shares, in percent, and what they are called: `[{at, text, group}]`. None where points differ. */
export function fairLevels(plans) {
  const [first, ...others] = plans.map(fairSharesOf);
  const isSame = (one) => one.size === first.size && [...one].every(([name, share]) => Math.abs(first.get(name) - share) < 1e-12);
  if (!first?.size || !others.every(isSame)) return [];
  const groups = new Map();
  for (const [name, share] of first) groups.set(share, [...(groups.get(share) ?? []), name]);
  return [...groups].map(([share, names]) => ({
    at: 100 * share, group: groups.size > 1 ? names[0] : undefined,
    text: `fair${groups.size > 1 ? ` for ${names.join(", ")}` : ""}: ${Number((100 * share).toPrecision(3))} %`,
  }));
}
