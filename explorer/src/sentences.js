/** Numbers and sentences as people read them. */

import { amount } from "./amount.js";

/** Bits a second. */
export const rateText = (bps) => (bps === null ? "-" : bps >= 1e9 ? `${amount(bps / 1e9)} Gbit/s` : `${amount(bps / 1e6)} Mbit/s`);
/** Seconds, in milliseconds. */
export const msText = (seconds) => (seconds === null ? "-" : `${amount(1e3 * seconds)} ms`);
/** A share. */
export const shareText = (share) => (share === null ? "-" : `${amount(100 * share)} %`);
/** Bytes. */
export const bytesText = (count) => (count === null ? "-" : `${amount(count / 1e3)} kB`);

/** What a run came to, in a sentence or two; `bottleneck`, `up` and `kind` as `waysOf` has them. */
export function answer(summary, matters, { bottleneck: name, up, kind }) {
  const { groups, bottleneck, flows } = summary;
  const shares = [...groups].filter(([, { share }]) => share !== null);
  const delay = flows.map(({ rtt_mean_s }) => rtt_mean_s).filter((rtt) => rtt !== null);
  const mean = delay.length ? delay.reduce((sum, rtt) => sum + rtt, 0) / delay.length : null;
  const line = name ? `The bottleneck, ${name},` : "The line";
  const marked = bottleneck.mark_rate ? ` and ${shareText(bottleneck.mark_rate)} marked` : "";
  const state = `${line} is ${shareText(bottleneck.utilization)} full, ${shareText(bottleneck.loss_rate)} of the packets are dropped${marked} at ${name ? "its" : "the"} ${kind === "fifo" ? "" : `${kind} `}queue, and the mean round trip takes ${msText(mean)}.`;
  if (!shares.length) return `Nothing was delivered in the window. ${state}`;
  const ways = [["", shares.filter(([group]) => !up.has(group))], ["On the way back ", shares.filter(([group]) => up.has(group))]];
  return [...ways.filter(([, own]) => own.length).map(([where, own]) => `${where}${sharing(own, matters)}.`), state].join(" ");
}

/** Who of those that go one way has how much. */
function sharing(shares, matters) {
  if (shares.length === 1) {
    const [[name, { goodput_bps }]] = shares;
    return `${name} carries ${rateText(goodput_bps)}`;
  }
  const [first, second] = [...shares].sort((a, b) => b[1].share - a[1].share);
  const isEven = first[1].share - second[1].share < matters;
  const who = isEven ? `${first[0]} and ${second[0]} have about the same` : `${first[0]} has ${shareText(first[1].share)} of the goodput`;
  const others = shares.filter(([name]) => name !== first[0]).map(([name, { share }]) => `${name} ${shareText(share)}`);
  return `${who}${isEven ? `: ${shareText(first[1].share)} and ${shareText(second[1].share)}` : `, ${others.join(", ")}`}`;
}
