//! [`Problem`]: what is wrong with a spec, where, and what would be right.

use crate::wish;
use serde::Serialize;
use std::fmt;

const LONGEST_QUOTE: usize = 60;
const LONGEST_LIST: usize = 32;
/// So few known words are listed beside what there is instead of a wish.
const FEW: usize = 4;

/// One thing wrong with a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The field, e.g. `flows[2].cc`; the file where there is no field yet.
    pub path: String,
    /// What was wrong, without the path.
    pub message: String,
    /// What would be right; empty where the message says it.
    pub hint: String,
}

impl Problem {
    /// Of the field at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, hint } = self;
        let (after_path, before_hint) =
            (if path.is_empty() { "" } else { ": " }, if hint.is_empty() { "" } else { "; " });
        write!(f, "{path}{after_path}{message}{before_hint}{hint}")
    }
}

/// Why a value is refused, and what would be right: a [`Problem`] that does not know its field yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
}

impl Refusal {
    /// With the words of a message and of a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// The problem of the field at `path`.
    pub fn at(self, path: impl Into<String>) -> Problem {
        Problem { path: path.into(), message: self.message, hint: self.hint }
    }
}

/// A text in a message: short, in double quotes, and every letter of it prints.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", visible(&shortened(text)))
}

/// A text whose every letter prints: what would move a terminal's cursor, or hide, stands as its number.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|letter| if prints(letter) { letter.into() } else { format!("\\x{:02x}", letter as u32) })
        .collect()
}

/// Whether a letter shows as itself; a combining one does behind another.
pub fn prints(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '\\') || {
        let behind = format!("a{letter}");
        behind.escape_debug().eq(behind.chars())
    }
}

/// As much of a text as a message shows.
pub fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_QUOTE {
        return text.to_owned();
    }
    text.chars().take(LONGEST_QUOTE - 1).chain(['…']).collect()
}

/// The known word that was probably meant, or all of them; or how a spec has it, or what there is instead.
pub fn suggestion(word: &str, known: &[&str]) -> String {
    if let Some(instead) = wish::instead_of(word) {
        let few =
            if (1..=FEW).contains(&known.len()) { format!("known: {}; ", known.join(", ")) } else { String::new() };
        return format!("not in this version: {instead}; {few}see docs/limitations.md");
    }
    if let Some(meant) = wish::meaning_of(word) {
        return meant.to_owned();
    }
    closest(word, known)
}

/// The known word that was probably meant, or all of them, of words that the spec itself makes up.
pub fn closest(word: &str, known: &[&str]) -> String {
    let lower: Vec<String> = known.iter().map(|each| each.to_lowercase()).collect();
    let wanted = word.chars().take(LONGEST_QUOTE).collect::<String>().to_lowercase();
    let close = difflib::get_close_matches(&wanted, lower.iter().map(String::as_str).collect(), 1, 0.6);
    if let Some(place) = close.first().and_then(|close| lower.iter().rposition(|each| each == close)) {
        return format!("did you mean \"{}\"?", known[place]);
    }
    listed(known)
}

/// All known words, or as many as a message has room for.
pub fn listed(known: &[&str]) -> String {
    if known.is_empty() {
        return String::new();
    }
    let more = if known.len() > LONGEST_LIST { ", …" } else { "" };
    format!("known: {}{more}", known[..known.len().min(LONGEST_LIST)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_a_line() {
        let problem = Problem::new("flows[2].cc", "unknown \"bbrr\"", "did you mean \"bbr\"?");
        assert_eq!(problem.to_string(), "flows[2].cc: unknown \"bbrr\"; did you mean \"bbr\"?");
        assert_eq!(Problem::new("", "not TOML", "").to_string(), "not TOML");
    }

    #[test]
    fn what_is_quoted_is_short_and_prints() {
        assert_eq!(quoted("80 mbps"), "\"80 mbps\"");
        assert_eq!(quoted("a\u{1b}\u{202e}é"), "\"a\\x1b\\x202eé\"");
        assert_eq!(quoted(&"a".repeat(61)).chars().count(), 62);
    }

    #[test]
    fn a_suggestion_is_what_was_probably_meant() {
        assert_eq!(suggestion("bbrr", &["bbr", "cubic"]), "did you mean \"bbr\"?");
        assert_eq!(suggestion("vegas", &["bbr", "cubic"]), "known: bbr, cubic");
        assert_eq!(
            suggestion("Delay", &["rtt"]),
            "write rtt = \"50 ms\": the base round trip, twice a delay of one way"
        );
        assert!(suggestion("bbr2", &[]).starts_with("not in this version: \"bbr\" is BBR v1, and \"bbr3\" is v3; see"));
    }
}
