//! The simulator as a page in a browser calls it, in WebAssembly: JSON in, JSON out.
//!
//! A page puts a request into memory that [`room`] gave it, calls [`answer`] and reads what that leaves. The first byte of
//! an answer says whether the rest is what was asked for, or a sentence that says why not. A measurement is the JSON that the
//! native build writes, byte for byte: the simulator computes with integers, and with those operations of floats that IEEE
//! 754 defines to the last bit.

mod experiment;
mod page_word;

use experiment::{Resolve, Source};
use page_word::PageWord;
use run::{Measurement, QueueLog, Run};
use serde::{Deserialize, Serialize};
use spec::Word;

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
    /// The same, and what becomes of each frame at the bottleneck's queue from an instant on.
    Watch { run: Box<Run>, from_ns: u64 },
    /// What is wrong with a spec, its words and its seeds.
    Check(Source),
    /// A run of a spec.
    Resolve(Resolve),
    /// Of each queue discipline its name, the parameters that it takes, and itself with `tc`'s.
    Disciplines,
    /// Fields as a spec file.
    Toml(PageWord),
    /// A path's fields with the keys of its preset where it has none.
    Completed(PageWord),
    /// The room of the bottleneck's queue in each unit, as these words of a path have it.
    Rooms(PageWord),
    /// The numbers of a field's value in a spec with these words, each with its name: of a hop's buffer its bytes and BDPs.
    Amounts(String, PageWord, PageWord),
    /// A text's number, its unit as written, and the number by which it is put in order.
    Quantity(String),
}

/// A measurement with what became of each frame at the bottleneck's queue.
#[derive(Debug, Serialize)]
struct Watched {
    measurement: Measurement,
    log: QueueLog,
}

/// The answer to a request: a byte, and what it says that it is.
pub fn answer_to(request: &[u8]) -> Vec<u8> {
    match given(request) {
        Ok(json) => [vec![GIVEN], json].concat(),
        Err(reason) => [vec![REFUSED], reason.into_bytes()].concat(),
    }
}

fn given(request: &[u8]) -> Result<Vec<u8>, String> {
    let request = serde_json::from_slice(request).map_err(|error| format!("not a request: {error}"))?;
    match request {
        Request::Measure(run) => json(&sim::measure(&run).map_err(|problems| lines(&problems))?),
        Request::Watch { run, from_ns } => {
            let (measurement, log) = sim::watch(&run, from_ns).map_err(|problems| lines(&problems))?;
            json(&Watched { measurement, log })
        }
        Request::Check(source) => json(&source.checked()),
        Request::Resolve(request) => json(&request.resolved().map_err(|problems| lines(&problems))?),
        Request::Disciplines => json(&spec::disciplines()),
        Request::Toml(table) => json(&spec::toml(&table.fields())),
        Request::Completed(path) => json(&PageWord::from(Word::Table(spec::completed(path.fields())))),
        Request::Rooms(path) => json(&spec::rooms(&path.fields())),
        Request::Amounts(field, value, fields) => json(&spec::amounts(&field, &value.into(), &fields.fields())),
        Request::Quantity(text) => {
            let quantity = spec::number_and_unit(&text).zip(spec::magnitude(&text));
            json(&quantity.map(|((number, unit), magnitude)| (number, unit, magnitude)))
        }
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}

fn lines(problems: &[impl ToString]) -> String {
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

    fn answered(request: &str) -> (u8, String) {
        let answer = answer_to(request.as_bytes());
        (answer[0], String::from_utf8(answer[1..].to_vec()).expect("text"))
    }

    #[test]
    fn a_measurement_is_that_of_the_simulator() {
        let run = samples::one_flow("bbr", 10_000_000, 20_000_000, 25_000, 2);
        let request = format!(r#"{{"measure":{}}}"#, serde_json::to_string(&run).expect("a run"));
        let own = serde_json::to_string(&sim::measure(&run).expect("a measurement")).expect("json");
        assert_eq!(answered(&request), (GIVEN, own));
    }

    #[test]
    fn a_run_is_watched_from_an_instant_on() {
        let run = samples::one_flow("bbr", 10_000_000, 20_000_000, 25_000, 2);
        let request =
            format!(r#"{{"watch":{{"run":{},"from_ns":1000000000}}}}"#, serde_json::to_string(&run).expect("a run"));
        let (measurement, log) = sim::watch(&run, 1_000_000_000).expect("a run");
        let own = serde_json::to_string(&Watched { measurement, log }).expect("json");
        assert_eq!(answered(&request), (GIVEN, own));
    }

    #[test]
    fn a_discipline_has_its_parameters_and_what_tc_gives_them() {
        let (_, text) = answered(r#""disciplines""#);
        assert!(
            text.contains(
                r#"["pie",["limit","target","tupdate","alpha","beta","ecn"],{"kind":"pie","target_ns":15000000"#
            ),
            "{text}"
        );
    }

    #[test]
    fn what_cannot_be_honoured_is_refused() {
        let mut run = samples::one_flow("bbr", 10_000_000, 20_000_000, 25_000, 2);
        run.flows[0].cc.as_mut().expect("a connection").algorithm = "copa".to_owned();
        let json = serde_json::to_string(&run).expect("a run");
        let (first, reason) = answered(&format!(r#"{{"measure":{json}}}"#));
        assert_eq!(first, REFUSED);
        assert!(reason.starts_with("flows[0].cc"), "{reason}");
        assert_eq!(answered("{}").0, REFUSED);
    }

    #[test]
    fn fields_and_quantities_are_those_of_the_spec() {
        let fields = r#"{"table":[["seeds",{"integer":"18446744073709551615"}],["name","x"],["sigma",2]]}"#;
        let toml = "seeds = 18446744073709551615\nname = \"x\"\nsigma = 2.0\n";
        assert_eq!(answered(&format!(r#"{{"toml":{fields}}}"#)), (GIVEN, serde_json::to_string(toml).expect("JSON")));
        assert_eq!(answered(r#"{"quantity":"5 Mbit/s"}"#), (GIVEN, r#"[5.0,"Mbit/s",5000000.0]"#.to_owned()));
        assert_eq!(answered(r#"{"quantity":"bbr"}"#), (GIVEN, "null".to_owned()));
        let path = r#"{"table":[["rate","8 Mbit/s"],["rtt","25 ms"],["buffer","50 ms"]]}"#;
        let (_, rooms) = answered(&format!(r#"{{"rooms":{path}}}"#));
        assert!(rooms.contains(r#""written":"ms","bdp":2.0,"ms":50.0"#), "{rooms}");
        assert_eq!(answered(r#"{"rooms":{"table":[]}}"#), (GIVEN, "null".to_owned()));
        let back = r#"{"table":[["rate","2 Mbit/s"],["buffer","9 packets"]]}"#;
        let fields = format!(
            r#"{{"table":[["path",{{"table":[["rate","8 Mbit/s"],["rtt","25 ms"],["buffer","9 kB"],["back",{back}]]}}]]}}"#
        );
        let amounts = answered(&format!(r#"{{"amounts":["path.back.buffer","2 bdp",{fields}]}}"#)).1;
        assert_eq!(amounts, r#"[["path.back.buffer_bytes",50000.0],["path.back.buffer_bdp",2.0]]"#);
    }
}
