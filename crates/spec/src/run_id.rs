//! The name of a run: a hash of everything that decides its result, over the JSON that Python's `json` writes.

use crate::number::float;
use crate::resolve::Resolved;
use run::Run;
use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};
use sha2::{Digest, Sha256};
use std::io::{Result, Write};

const DIGITS: usize = 16;

impl Resolved {
    /// The run's name on an engine, of whose builds this is the one with that `identity`.
    pub fn id(&self, engine: &str, identity: &str) -> String {
        run_id(&self.run, &(&*self.groups, &*self.ccs, self.bdp_bytes), engine, identity)
    }
}

/// The name of a run, with the spec's words that its summary has: the group and the congestion control of each flow, and
/// the path's rate times its round-trip time, in bytes.
pub fn run_id(run: &Run, summary_fields: &(&[String], &[String], f64), engine: &str, identity: &str) -> String {
    let mut digest = Sha256::new();
    canonical(run, |text| digest.update(text));
    for part in [&*json(summary_fields, ", "), engine.as_bytes(), identity.as_bytes()] {
        digest.update(b"\n");
        digest.update(part);
    }
    digest.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// A run as a tree of JSON has it, with the keys in order. It comes in pieces, and each flow is a tree alone: a run of many
/// flows is large.
fn canonical(run: &Run, mut write: impl FnMut(&[u8])) {
    let Run { seed, duration_ns, until_done, path, flows, host, measure } = run;
    let (seed, duration_ns, until_done, path) = (*seed, *duration_ns, *until_done, path.clone());
    let rest = tree(&Run { seed, duration_ns, until_done, path, flows: vec![], host: *host, measure: *measure });
    for (place, (key, value)) in rest.as_object().into_iter().flatten().enumerate() {
        write(if place == 0 { b"{" } else { b"," });
        write(format!("\"{key}\":").as_bytes());
        if key != "flows" {
            write(&json(value, ","));
            continue;
        }
        write(b"[");
        for (place, flow) in flows.iter().enumerate() {
            write(if place == 0 { b"" } else { b"," });
            write(&json(&tree(flow), ","));
        }
        write(b"]");
    }
    write(b"}");
}

fn tree(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn json(value: &impl Serialize, comma: &'static str) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A vector takes whatever is written, and no key of a run is anything but text.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, Python { comma }));
    bytes
}

/// As Python's `json` writes it: floats as `repr` does, and nothing but ASCII.
struct Python {
    comma: &'static str,
}

impl Formatter for Python {
    fn write_f64<W: ?Sized + Write>(&mut self, to: &mut W, value: f64) -> Result<()> {
        to.write_all(float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, to: &mut W, fragment: &str) -> Result<()> {
        for unit in fragment.encode_utf16() {
            match u8::try_from(unit) {
                Ok(letter @ b' '..=b'~') => to.write_all(&[letter])?,
                _ => write!(to, "\\u{unit:04x}")?,
            }
        }
        Ok(())
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, is_first: bool) -> Result<()> {
        if is_first { Ok(()) } else { to.write_all(self.comma.as_bytes()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Registry;
    use crate::experiment::Experiment;
    use crate::file::Files;
    use crate::problem::Refusal;
    use crate::source::parse;

    struct NoFiles;

    impl Files for NoFiles {
        fn text(&self, _: &str) -> std::result::Result<String, Refusal> {
            Err(Refusal::new("no such file", ""))
        }
    }

    fn id(spec: &str) -> String {
        let fields = parse(spec, "spec").expect("TOML");
        let experiment = Experiment::load(&fields, &NoFiles, Registry::known()).expect("an experiment");
        experiment.point(0).resolve(7, false).expect("a run").id("sim", "0123456789abcdef")
    }

    /// The names are Python's of before there was this.
    #[test]
    fn a_run_has_the_name_that_python_gives_it() {
        let path = "duration = \"2 s\"\nstart_jitter = \"0 s\"\nmeasure = { window = [\"0 %\", \"100 %\"] }\n[path]\nrate = \"10 Mbit/s\"\n\
                    rtt = \"33.3 ms\"\nbuffer = \"1 bdp\"\n";
        for (flows, name) in [
            ("[[flows]]\ncc = \"bbr\"\n", "829aed198e38e161"),
            ("[[flows]]\ncc = \"bbr[cwnd_gain=1.25]\"\nname = \"Überlast \\\"☃\\\" \\\\ 𝄞\"\n", "b79f3d5e7ce53607"),
            (
                "[[flows]]\ncc = \"cubic\"\nworkload = { arrivals = { rate = \"9 /s\" }, size = \"9 kB\" }\n",
                "4353634f2adbabe6",
            ),
        ] {
            assert_eq!(id(&format!("{path}{flows}")), name, "{flows}");
        }
    }

    #[test]
    fn json_is_that_of_python() {
        let values = (["a", "ü\u{7f}\"\\\n𝄞"], 1e16, 2.0, 1e-5);
        let written = String::from_utf8(json(&values, ", ")).expect("ASCII");
        assert_eq!(written, r#"[["a", "\u00fc\u007f\"\\\n\ud834\udd1e"], 1e+16, 2.0, 1e-05]"#);
    }
}
