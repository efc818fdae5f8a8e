//! [`Trace`]: a line as it was recorded.
//!
//! In JSON it is one text, a line a row, since a run has many of them.

use crate::change::Change;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;

/// First line of deliveries.
const DELIVERIES: &str = "deliveries";

/// A line in the course of time. It is cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Trace {
    /// Its rate, delay and loss from instants on, in order; beyond the last one as it was then.
    Changes(Arc<[Change]>),
    /// When it can deliver so many bytes as a packet of the path may have, and headers: in milliseconds, in order. After the last
    /// one all of them come again (mahimahi's `mm-link`).
    Deliveries(Arc<[u32]>),
}

impl From<Trace> for String {
    fn from(trace: Trace) -> Self {
        let mut text = Self::new();
        let wrote = match &trace {
            Trace::Changes(changes) => changes.iter().try_for_each(|change| {
                let cell = |number: Option<u64>| number.map_or_else(Self::new, |number| number.to_string());
                let loss = change.loss_ppb.map(u64::from);
                let [rate, delay, loss] = [change.rate_bps, change.delay_ns, loss].map(cell);
                writeln!(text, "{},{rate},{delay},{loss}", change.at_ns)
            }),
            Trace::Deliveries(at_ms) => {
                text.push_str("deliveries\n");
                at_ms.iter().try_for_each(|at_ms| writeln!(text, "{at_ms}"))
            }
        };
        debug_assert!(wrote.is_ok());
        text
    }
}

impl TryFrom<String> for Trace {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let no_trace = |line: &str| format!("{line:?} is no line of a trace");
        if let Some(rows) = text.strip_prefix(DELIVERIES) {
            let at_ms = rows.split_whitespace().map(|row| row.parse().map_err(|_| no_trace(row)));
            let at_ms: Arc<[u32]> = at_ms.collect::<Result<_, _>>()?;
            return match at_ms.last() {
                Some(last_ms) if *last_ms > 0 && at_ms.is_sorted() => Ok(Self::Deliveries(at_ms)),
                _ => Err("deliveries are in order, and last for longer than 0 ms".to_owned()),
            };
        }
        let changes = text.lines().map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let [at, rate, delay, loss] = cells[..] else { return Err(no_trace(line)) };
            let number = |cell: &str| cell.parse::<u64>().map_err(|_| no_trace(line));
            let cell = |cell: &str| if cell.is_empty() { Ok(None) } else { number(cell).map(Some) };
            let loss_ppb = cell(loss)?.map(u32::try_from).transpose().map_err(|_| no_trace(line))?;
            Ok(Change { rate_bps: cell(rate)?, delay_ns: cell(delay)?, loss_ppb, ..Change::at(number(at)?) })
        });
        changes.collect::<Result<_, _>>().map(Self::Changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_one_text() {
        let changes = [
            Change { delay_ns: Some(20_000_000), ..Change::of_rate(0, 50_000_000) },
            Change { rate_bps: Some(0), loss_ppb: Some(5), ..Change::at(10_000_000) },
        ];
        for (trace, text) in [
            (Trace::Changes(changes.into()), r#""0,50000000,20000000,\n10000000,0,,5\n""#),
            (Trace::Deliveries([0, 1, 1, 7].into()), r#""deliveries\n0\n1\n1\n7\n""#),
        ] {
            assert_eq!(serde_json::to_string(&trace).expect("JSON"), text);
            assert_eq!(serde_json::from_str::<Trace>(text).expect("a trace"), trace);
        }
        for wrong in [r#""1,2""#, r#""1,2,3,x\n""#, r#""deliveries\n-1\n""#, r#"",1,1,1""#] {
            let failure = serde_json::from_str::<Trace>(wrong).expect_err(wrong).to_string();
            assert!(failure.contains("is no line of a trace"), "{failure}");
        }
        for wrong in [r#""deliveries\n""#, r#""deliveries\n0\n0\n""#, r#""deliveries\n2\n1\n""#] {
            let failure = serde_json::from_str::<Trace>(wrong).expect_err(wrong).to_string();
            assert!(failure.contains("in order"), "{failure}");
        }
    }
}
