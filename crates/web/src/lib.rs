//! The simulator as a page in a browser calls it, in WebAssembly: JSON in, JSON out.
//!
//! A page puts a request into memory that [`room`] gave it, calls [`answer`] and reads what that leaves. The first byte of
//! an answer says whether the rest is what was asked for, or a sentence that says why not. A measurement is the JSON that the
//! native build writes, byte for byte: the simulator computes with integers, and with those operations of floats that IEEE
//! 754 defines to the last bit.

use run::{Problem, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// First byte of an answer that is what was asked for.
pub const GIVEN: u8 = b'0';
/// First byte of one that says why not.
pub const REFUSED: u8 = b'1';

/// What a page may ask.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// The measurement of a run.
    Measure(Box<Run>),
    /// What of a run the simulator cannot honour.
    Problems(Box<Run>),
    /// What is wrong with these parameters of an algorithm.
    Parameters {
        /// Its name.
        algorithm: String,
        /// By their names.
        parameters: BTreeMap<String, f64>,
    },
    /// What a spec leaves to chance.
    Draw(draw::Request),
    /// What this build is.
    About,
}

/// What this build is.
#[derive(Debug, Serialize)]
struct About {
    version: &'static str,
    /// Hash of everything that decides a measurement's bytes, as the Python module has it.
    identity: &'static str,
}

/// The answer to a request: a byte, and what it says that it is.
pub fn answer_to(request: &[u8]) -> Vec<u8> {
    match given(request) {
        Ok(json) => [vec![GIVEN], json].concat(),
        Err(told) => [vec![REFUSED], told.into_bytes()].concat(),
    }
}

fn given(request: &[u8]) -> Result<Vec<u8>, String> {
    let request = serde_json::from_slice(request).map_err(|error| format!("not a request: {error}"))?;
    match request {
        Request::Measure(run) => json(&sim::measure(&run).map_err(|problems| told(&problems))?),
        Request::Problems(run) => {
            json(&sim::problems(&run).into_iter().map(|it| (it.path, it.message)).collect::<Vec<_>>())
        }
        Request::Parameters { algorithm, parameters } => {
            json(&cc::check(&algorithm, &parameters).iter().map(ToString::to_string).collect::<Vec<_>>())
        }
        Request::Draw(request) => json(&request.answer().map_err(|error| error.to_string())?),
        Request::About => json(&About { version: env!("CARGO_PKG_VERSION"), identity: env!("DUMBBELL_IDENTITY") }),
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Room for a request of `bytes`, which [`answer`] takes back.
#[expect(unsafe_code, reason = "a page finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; bytes].into_boxed_slice()).cast()
}

/// Answers the request at `place`: where the answer is in the upper half, and its length in the lower.
///
/// # Safety
/// `place` is what [`room`] gave for as many bytes, and was not handed in before.
#[expect(unsafe_code, reason = "a page finds it by its name, and hands over memory")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(place: *mut u8, bytes: usize) -> u64 {
    // SAFETY: as the caller promises.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(place, bytes)) };
    let answer = answer_to(&request).into_boxed_slice();
    let length = answer.len() as u64;
    (Box::into_raw(answer).cast::<u8>() as usize as u64) << 32 | length
}

/// Takes an answer back.
///
/// # Safety
/// `place` and `bytes` are those of an answer that was not taken back before.
#[expect(unsafe_code, reason = "a page finds it by its name, and hands over memory")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn take_back(place: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(place, bytes)) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::samples;

    fn asked(request: &str) -> (u8, String) {
        let answer = answer_to(request.as_bytes());
        (answer[0], String::from_utf8(answer[1..].to_vec()).expect("text"))
    }

    #[test]
    fn a_measurement_is_that_of_the_simulator() {
        let run = samples::one_flow("bbr", 10_000_000, 20_000_000, 25_000, 2);
        let request = format!(r#"{{"measure":{}}}"#, serde_json::to_string(&run).expect("a run"));
        let own = serde_json::to_string(&sim::measure(&run).expect("a measurement")).expect("json");
        assert_eq!(asked(&request), (GIVEN, own));
    }

    #[test]
    fn what_cannot_be_honoured_is_told() {
        let mut run = samples::one_flow("bbr", 10_000_000, 20_000_000, 25_000, 2);
        run.flows[0].cc.algorithm = "copa".to_owned();
        let json = serde_json::to_string(&run).expect("a run");
        let (first, told) = asked(&format!(r#"{{"measure":{json}}}"#));
        assert_eq!(first, REFUSED);
        assert!(told.starts_with("flows[0].cc"), "{told}");
        let (first, problems) = asked(&format!(r#"{{"problems":{json}}}"#));
        assert_eq!(first, GIVEN);
        assert!(problems.contains("flows[0].cc"), "{problems}");
        assert_eq!(asked("{}").0, REFUSED);
        assert_eq!(asked(r#"{"parameters":{"algorithm":"reno","parameters":{}}}"#), (GIVEN, "[]".to_owned()));
        assert!(asked(r#""about""#).1.contains("identity"));
    }

    #[test]
    fn what_is_left_to_chance_is_drawn() {
        let below = r#"{"draw":{"below":{"what":"start_jitter","seed":1,"name":"bbr","below":100000000}}}"#;
        assert_eq!(asked(below), (GIVEN, "42586879".to_owned()));
        let endless = r#"{"draw":{"arrivals":{"seed":1,"name":"web","per_s":50,"sizes":{"fixed":1}}}}"#;
        assert_eq!(asked(endless).0, REFUSED);
    }
}
