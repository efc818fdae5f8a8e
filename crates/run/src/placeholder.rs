//! [`Places`]: what stands for addresses and numbers in the words of a program, and how they are filled in.

use crate::Run;

/// What the words of [`crate::Workload::Command`] may name, in braces, for one flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `{receiver}`: the receiver's address.
    pub receiver: String,
    /// `{sender}`: the sender's address.
    pub sender: String,
    /// `{port}`: a port of the flow's own, free at both ends.
    pub port: u16,
    /// `{seconds}`: see [`Run::full_seconds`].
    pub seconds: u64,
}

impl Places {
    /// The words of a command with everything filled in. `{{` is a brace and so is `}}`, as in formats of Rust and Python.
    ///
    /// # Errors
    /// A brace without a partner, or a name that there is not, in words.
    pub fn fill(&self, arguments: &[String]) -> Result<Vec<String>, String> {
        arguments.iter().map(|word| self.filled(word)).collect()
    }

    fn filled(&self, word: &str) -> Result<String, String> {
        let (mut filled, mut rest) = (String::new(), word);
        while let Some(at) = rest.find(['{', '}']) {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                filled.push_str(&rest[..1]);
                rest = after;
                continue;
            }
            let (name, after) = rest
                .strip_prefix('{')
                .and_then(|named| named.split_once('}'))
                .ok_or_else(|| format!("{word:?}: a brace without a partner"))?;
            filled.push_str(&self.named(name).ok_or_else(|| format!("{word:?}: there is no {{{name}}}"))?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn named(&self, name: &str) -> Option<String> {
        match name {
            "receiver" => Some(self.receiver.clone()),
            "sender" => Some(self.sender.clone()),
            "port" => Some(self.port.to_string()),
            "seconds" => Some(self.seconds.to_string()),
            _ => None,
        }
    }
}

impl Run {
    /// From a flow's start to its stop, or to the run's end at the latest, rounded down to whole seconds.
    pub fn full_seconds(&self, flow: usize) -> u64 {
        const NANOS_PER_SEC: u64 = 1_000_000_000;
        let flow = &self.flows[flow];
        flow.stop_ns.unwrap_or(self.duration_ns).saturating_sub(flow.start_ns) / NANOS_PER_SEC
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(word: &str) -> Result<String, String> {
        let places = Places { receiver: "10.1.0.2".into(), sender: "10.0.0.2".into(), port: 5_001, seconds: 9 };
        places.fill(&[word.to_owned()]).map(|arguments| arguments.concat())
    }

    #[test]
    fn names_become_what_they_stand_for_wherever_in_a_word() {
        assert_eq!(filled("tcp://{receiver}:{port}?listen=1").unwrap(), "tcp://10.1.0.2:5001?listen=1");
        assert_eq!(filled("{sender},{seconds}").unwrap(), "10.0.0.2,9");
        assert_eq!(filled("-J").unwrap(), "-J");
    }

    #[test]
    fn two_braces_are_one() {
        assert_eq!(filled("{{\"port\": {port}}}").unwrap(), "{\"port\": 5001}");
        assert_eq!(filled("{{port}}").unwrap(), "{port}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for word in ["{host}", "{}", "{port", "port}", "{ port }", "{receiver:>9}"] {
            assert!(filled(word).is_err(), "{word}");
        }
    }
}
