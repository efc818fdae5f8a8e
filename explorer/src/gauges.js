/** A measurement's columns in the units that are drawn: twins of `results/gauges.py`, `results/run_series.py` and
 * `metrics/counter.py`. Whoever changes one changes the other; a test holds them together. */

export const NANOS_PER_S = 1e9;
export const BYTE_BITS = 8;
/** What a column has where a gauge is not known: the largest number of its type. */
const UNKNOWN_32 = 2 ** 32 - 1;
const UNKNOWN_64 = 2 ** 63; // JSON's reader rounds 2^64 - 1 up: whatever is above this is it
const MICROS = 1e-6;

/** Samples `{time_s, value}` of a flow's gauge, where it is known. `mss` in bytes. */
function gauge(flow, column, mss) {
  const { series } = flow;
  const [name, factor, isUnknown] = COLUMNS[column](mss);
  const values = series[name];
  const [time_s, value] = [[], []];
  for (let i = 0; i < values.length; i += 1) {
    if (isUnknown(values[i])) continue;
    time_s.push(series.at_ns[i] / NANOS_PER_S);
    value.push(values[i] * factor);
  }
  return { time_s, value };
}

const known = () => false;
const COLUMNS = {
  srtt_s: () => ["srtt_us", MICROS, (value) => value === 0],
  cwnd_bytes: (mss) => ["cwnd_segments", mss, known],
  inflight_bytes: (mss) => ["inflight_segments", mss, known],
  ssthresh_bytes: (mss) => ["ssthresh_segments", mss, (value) => value === UNKNOWN_32],
  min_rtt_s: () => ["min_rtt_us", MICROS, (value) => value === UNKNOWN_32],
  pacing_rate_bps: () => ["pacing_rate_bps", 1, (value) => value >= UNKNOWN_64],
  bandwidth_bps: () => ["bandwidth_bps", 1, (value) => value >= UNKNOWN_64],
  cc_min_rtt_s: () => ["cc_min_rtt_us", MICROS, (value) => value === UNKNOWN_32],
  pacing_gain: () => ["pacing_gain_256ths", 1 / 256, (value) => value === 0],
  cwnd_gain: () => ["cwnd_gain_256ths", 1 / 256, (value) => value === 0],
  bw_hi_bps: () => ["bw_hi_bps", 1, (value) => value >= UNKNOWN_64],
  bw_lo_bps: () => ["bw_lo_bps", 1, (value) => value >= UNKNOWN_64],
  inflight_hi_bytes: (mss) => ["inflight_hi_segments", mss, (value) => value === UNKNOWN_32],
  inflight_lo_bytes: (mss) => ["inflight_lo_segments", mss, (value) => value === UNKNOWN_32],
  alpha: () => ["alpha_ppm", 1e-6, (value) => value === UNKNOWN_32],
};

/** A gauge at a sample; null where it is not known. */
export function gaugeAt({ series }, column, mss, sample) {
  const [name, factor, isUnknown] = COLUMNS[column](mss);
  const value = series[name][sample];
  return isUnknown(value) ? null : value * factor;
}

/** What stood in the queue at each sample, bytes. */
export function backlog({ series }) {
  return { time_s: series.at_ns.map((at) => at / NANOS_PER_S), value: series.backlog_bytes };
}

/** The bytes of a flow's frames that left the bottleneck: a counter, nothing at the flow's start. */
export function received(flow) {
  const { at_ns, bottleneck_bytes } = flow.series;
  const [time_s, total] = [at_ns.map((at) => at / NANOS_PER_S), [...bottleneck_bytes]];
  const start_s = flow.started_ns / NANOS_PER_S;
  if (!time_s.length || start_s < time_s[0]) {
    time_s.unshift(start_s);
    total.unshift(0);
  }
  return { time_s, total };
}

/** The edges of the whole bins between two instants. */
export function edges(begin_s, end_s, bin_s) {
  const bins = Math.max(0, Math.trunc((end_s - begin_s) / bin_s + 1e-9));
  return Array.from({ length: bins + 1 }, (_, i) => begin_s + bin_s * i);
}

/** Middles of the whole bins. */
export function middles(begin_s, end_s, bin_s) {
  return edges(begin_s, end_s, bin_s).slice(0, -1).map((edge) => edge + bin_s / 2);
}

/** A counter at instants in order, on straight lines between its samples: nothing before the first. */
export function counted(counter, instants) {
  const { time_s, total } = counter;
  const last = time_s.length - 1;
  let at = 0;
  return instants.map((instant) => {
    if (last < 0 || instant < time_s[0]) return 0;
    if (instant >= time_s[last]) return total[last];
    while (time_s[at + 1] <= instant) at += 1;
    const slope = (total[at + 1] - total[at]) / (time_s[at + 1] - time_s[at]);
    return slope * (instant - time_s[at]) + total[at];
  });
}

/** Bits a second in each whole bin between two instants, from a counter of bytes. */
export function rates(counter, begin_s, end_s, bin_s) {
  const at = counted(counter, edges(begin_s, end_s, bin_s));
  return at.slice(1).map((value, i) => (BYTE_BITS * (value - at[i])) / bin_s);
}

/** Of one flow its samples; of several the mean of all their samples in each bin that has any. */
export function meanGauge(flows, column, mss, end_s, bin_s) {
  const samples = flows.map((flow) => gauge(flow, column, mss));
  if (samples.length === 1) return samples[0];
  const at = edges(0, end_s, bin_s);
  const [count, total] = [new Float64Array(at.length - 1), new Float64Array(at.length - 1)];
  for (const { time_s, value } of samples) {
    let bin = 0;
    for (let i = 0; i < time_s.length; i += 1) {
      if (time_s[i] < at[0] || time_s[i] > at[at.length - 1]) continue;
      while (bin < count.length - 1 && time_s[i] >= at[bin + 1]) bin += 1; // the last bin has its right edge
      count[bin] += 1;
      total[bin] += value[i];
    }
  }
  const mean = { time_s: [], value: [] };
  middles(0, end_s, bin_s).forEach((middle, i) => {
    if (!count[i]) return;
    mean.time_s.push(middle);
    mean.value.push(total[i] / count[i]);
  });
  return mean;
}

/** A flow's stays in its phases: `{begin_s, end_s, phase, sample}` from sample to sample; `sample`: its first. */
export function phases(flow) {
  const { at_ns, phase } = flow.series;
  const stays = [];
  phase.forEach((number, i) => {
    const name = flow.phases[number];
    const begin_s = at_ns[i] / NANOS_PER_S;
    const last = stays[stays.length - 1];
    if (last) last.end_s = begin_s;
    if (name !== undefined && last?.phase !== name) stays.push({ begin_s, end_s: begin_s, phase: name, sample: i });
  });
  return stays;
}
