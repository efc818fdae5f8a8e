//! A discipline in `tc`'s own syntax.

use super::{Codel, DualPi2, FqCodel, Pie, QueueDiscipline};

/// `tc`'s unit of what DualPI2's controller weighs, a second.
const DUALPI2_PARTS: f64 = 256.0;
const NS_PER_US: u64 = 1_000;

impl QueueDiscipline {
    /// It and its settings with a limit in frames, of `red` in bytes, where a full frame has so many. CAKE has no such limit.
    pub fn tc(&self, limit: u64, frame_bytes: u64) -> String {
        let settings = match *self {
            Self::Fifo => String::new(),
            Self::Codel(codel) => format!(" limit {limit}{}", codel_text(codel)),
            Self::FqCodel(FqCodel { codel, flows, quantum_bytes, ce_threshold_selector }) => {
                let text = format!(" limit {limit} flows {flows} quantum {quantum_bytes}{}", codel_text(codel));
                let selector =
                    ce_threshold_selector.map(|(value, mask)| format!(" ce_threshold_selector {value:#x}/{mask:#x}"));
                text + &selector.unwrap_or_default()
            }
            Self::Fq(fq) => format!(
                " limit {limit} flow_limit {} quantum {} initial_quantum {} orphan_mask {}{}",
                fq.flow_limit_packets,
                fq.quantum_bytes,
                fq.initial_quantum_bytes,
                fq.orphan_mask,
                threshold_text(fq.ce_threshold_ns),
            ),
            Self::Pie(Pie { target_ns, tupdate_ns, alpha, beta, ecn }) => {
                let (target_us, tupdate_us) = (target_ns / NS_PER_US, tupdate_ns / NS_PER_US);
                let marks = marks_text(ecn);
                format!(" limit {limit} target {target_us}us tupdate {tupdate_us}us alpha {alpha} beta {beta}{marks}")
            }
            Self::Red(red) => format!(
                " limit {limit} min {} max {} avpkt {} burst {} probability {}{}",
                red.min_bytes,
                red.max_bytes,
                frame_bytes,
                red.burst_packets(frame_bytes),
                f64::from(red.probability_ppb) / 1e9,
                if red.ecn { " ecn" } else { "" },
            ),
            Self::Dualpi2(DualPi2 { target_ns, tupdate_ns, alpha, beta, coupling, step_ns }) => {
                let [target, tupdate, step] = [target_ns, tupdate_ns, step_ns].map(|ns| ns / NS_PER_US);
                let [alpha, beta] = [alpha, beta].map(|weight| f64::from(weight) / DUALPI2_PARTS);
                format!(
                    " limit {limit} target {target}us tupdate {tupdate}us alpha {alpha} beta {beta} \
                     coupling_factor {coupling} step_thresh {step}us"
                )
            }
            Self::Cake => " unlimited".to_owned(),
        };
        self.name().to_owned() + &settings
    }
}

/// The law of a CoDel.
fn codel_text(Codel { target_ns, interval_ns, ecn, ce_threshold_ns }: Codel) -> String {
    let (target_us, interval_us) = (target_ns / NS_PER_US, interval_ns / NS_PER_US);
    format!(" target {target_us}us interval {interval_us}us{}{}", marks_text(ecn), threshold_text(ce_threshold_ns))
}

fn threshold_text(threshold_ns: Option<u64>) -> String {
    threshold_ns.map(|ns| format!(" ce_threshold {}us", ns / NS_PER_US)).unwrap_or_default()
}

const fn marks_text(ecn: bool) -> &'static str {
    if ecn { " ecn" } else { " noecn" }
}
