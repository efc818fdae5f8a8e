//! One value: from a word to a [`Node`], or why not.

use super::example;
use crate::catalogue;
use crate::key::{Key, Kind};
use crate::keys::{LONGEST_HOP_NAME, MOST_SEEDS};
use crate::link;
use crate::placeholder;
use crate::problem::{Refusal, listed, prints, quoted, suggestion};
use crate::quantity::{Quantity, SIZE, within};
use crate::tree::Node;
use crate::wish;
use crate::word::{Fields, Word};

/// Of the experiment, and of a group of flows.
const LONGEST_NAME: usize = 100;
/// Of a file or a folder, as Linux has it (`NAME_MAX`).
const LONGEST_FILE_NAME: usize = 255;
const MOST_DIGITS_OF_A_PLACE: usize = 6;

/// A value that is neither a table nor a list.
pub(super) fn of(key: &'static Key, kind: &'static Kind, word: &Word) -> Result<Node, Refusal> {
    match kind {
        Kind::Quantity { of, bounds, remark } => {
            let quantity = of.read_word(word, *bounds)?;
            let quantity = match bounds {
                Some(bounds) => within(quantity, of, *bounds, remark)?,
                None => quantity,
            };
            Ok(Node::Quantity(quantity))
        }
        Kind::Room { in_bdp } => room(word, *in_bdp).map(Node::Quantity),
        Kind::Options(known) => one_of(known, word),
        Kind::Integer { least, most } => integer(key, word, *least, *most).map(Node::Integer),
        Kind::Number { least, inclusive, most } => decimal(key, word, *least, *inclusive, *most),
        Kind::Flag => match word {
            Word::Flag(flag) => Ok(Node::Flag(*flag)),
            _ => Err(must_be("true or false", word, key)),
        },
        Kind::Switch(known) => match word {
            Word::Flag(flag) => Ok(Node::Flag(*flag)),
            Word::Text(_) => one_of(known, word),
            _ => Err(must_be("true, false or a word", word, key)),
        },
        Kind::Name => name(&text(key, word)?),
        Kind::Hop => hop(&text(key, word)?),
        Kind::Group => group(&text(key, word)?),
        Kind::Link => one_of(&link::names(), word),
        Kind::Measured => one_of(&catalogue::names(), word),
        Kind::Level => level(key, word),
        Kind::Control => text(key, word).map(Node::Text),
        Kind::File(_) => match text(key, word)? {
            empty if empty.is_empty() => Err(Refusal::new("an empty name", example(key))),
            long if long.split('/').any(|part| part.len() > LONGEST_FILE_NAME) => {
                let hint = format!("at most {LONGEST_FILE_NAME} bytes");
                Err(Refusal::new("no file has so long a name", hint))
            }
            name => Ok(Node::Text(name)),
        },
        Kind::Seeds => integer(key, word, 1, MOST_SEEDS).map(Node::Integer),
        Kind::Zip | Kind::Window | Kind::Command | Kind::Route => Err(must_be("a list", word, key)),
        Kind::Table(_) | Kind::Values | Kind::OneOf { .. } => Err(must_be("a table", word, key)),
    }
}

/// What a message says of a value of another type.
pub(super) fn must_be(wanted: &str, word: &Word, key: &Key) -> Refusal {
    Refusal::new(format!("must be {wanted}, not {}", word.quoted()), example(key))
}

/// A table that has none of the keys that tell which one it is.
pub(super) fn no_such_table(fields: &Fields, noun: &str, hint: &str) -> Refusal {
    let keys: Vec<String> = fields.iter().map(|(key, _)| quoted(key)).collect();
    let what = if keys.is_empty() { "a table".to_owned() } else { format!("a table with {}", keys.join(", ")) };
    let wished = fields.iter().map(|(key, _)| key.as_str()).find(|key| wish::instead_of(key).is_some());
    let hint = wished.map_or_else(|| hint.to_owned(), |wished| suggestion(wished, &[]));
    Refusal::new(format!("{what} is no {noun}"), hint)
}

/// What is neither a table nor the word that may stand in place of one.
pub(super) fn neither(word: &Word, noun: &str, hint: &str) -> Refusal {
    let meant = if let Word::Text(text) = word { suggestion(text, &[]) } else { String::new() };
    Refusal::new(format!("{} is no {noun}", word.quoted()), if meant.is_empty() { hint.to_owned() } else { meant })
}

pub(super) fn text(key: &Key, word: &Word) -> Result<String, Refusal> {
    if let Word::Text(text) = word { Ok(text.clone()) } else { Err(must_be("text", word, key)) }
}

pub(super) fn integer(key: &Key, word: &Word, least: u64, most: u64) -> Result<u64, Refusal> {
    let Word::Integer(number) = word else { return Err(must_be("a whole number", word, key)) };
    match u64::try_from(*number) {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(number) if number > most => Err(Refusal::new(out_of_range(word), format!("at most {most}"))),
        _ if *number > 0 && *number > i128::from(most) => {
            Err(Refusal::new(out_of_range(word), format!("at most {most}")))
        }
        _ => Err(Refusal::new(out_of_range(word), format!("at least {least}"))),
    }
}

/// One word of a program.
pub(super) fn argument(key: &Key, word: &Word) -> Result<String, Refusal> {
    let text = text(key, word)?;
    if text.is_empty() {
        return Err(Refusal::new("an empty word", "leave it out"));
    }
    if text.contains('\0') {
        return Err(Refusal::new(format!("{} has a zero byte, which ends an argument", quoted(&text)), "leave it out"));
    }
    let named = placeholder::names(&text).map_err(|_| {
        Refusal::new(format!("{} has a brace without a partner", quoted(&text)), "a brace itself is written {{ or }}")
    })?;
    for name in named {
        if !placeholder::NAMES.iter().any(|(known, _)| *known == name) {
            let known: Vec<String> = placeholder::NAMES.iter().map(|(known, _)| format!("{{{known}}}")).collect();
            let meant = suggestion(name, &known.iter().map(String::as_str).collect::<Vec<_>>());
            return Err(Refusal::new(
                format!("{} stands for nothing", quoted(&format!("{{{name}}}"))),
                format!("{meant}; a brace itself is written {{{{ or }}}}"),
            ));
        }
    }
    Ok(text)
}

fn room(word: &Word, in_bdp: bool) -> Result<Quantity, Refusal> {
    let size = SIZE.read_word(word, None)?;
    let most = match size.unit {
        "packets" => "1000000000 packets",
        "bdp" => "100000 bdp",
        "ns" | "us" | "ms" | "s" => "1000 s",
        _ => "1000 GB",
    };
    if size.base() <= 0 || SIZE.read(most).is_ok_and(|most| size.value > most.value) {
        return Err(Refusal::new(
            format!("{} is out of range", quoted(&size.text)),
            format!("more than none and at most {most}"),
        ));
    }
    if !in_bdp && size.unit == "bdp" {
        return Err(Refusal::new(
            format!("{}: an access line has no bdp of its own", quoted(&size.text)),
            "write it as \"1 MB\" or \"100 packets\"",
        ));
    }
    Ok(size)
}

fn one_of(known: &[&str], word: &Word) -> Result<Node, Refusal> {
    match word {
        Word::Text(text) if known.contains(&&**text) => Ok(Node::Text(text.clone())),
        Word::Text(text) => Err(Refusal::new(format!("unknown {}", quoted(text)), suggestion(text, known))),
        _ => Err(Refusal::new(format!("unknown {}", word.quoted()), listed(known))),
    }
}

fn decimal(key: &Key, word: &Word, least: f64, inclusive: bool, most: f64) -> Result<Node, Refusal> {
    let number = match word {
        Word::Number(number) => *number,
        Word::Integer(number) => *number as f64,
        _ => return Err(must_be("a number", word, key)),
    };
    if number <= most && (number > least || (inclusive && number == least)) {
        return Ok(Node::Number(number));
    }
    let bound = if number > most {
        format!("at most {most}")
    } else {
        format!("{} {least}", if inclusive { "at least" } else { "more than" })
    };
    Err(Refusal::new(out_of_range(word), bound))
}

fn name(name: &str) -> Result<Node, Refusal> {
    let is_proper =
        !name.is_empty() && name == name.trim() && name.chars().all(prints) && name.chars().count() <= LONGEST_NAME;
    if is_proper {
        return Ok(Node::Text(name.to_owned()));
    }
    let hint = format!("1 to {LONGEST_NAME} printable characters, no space around them");
    Err(Refusal::new(format!("{} is no name", quoted(name)), hint))
}

/// A number with whichever unit, or without one.
fn level(key: &Key, word: &Word) -> Result<Node, Refusal> {
    match word {
        Word::Text(text) => Ok(Node::Text(text.clone())),
        Word::Integer(number) => Ok(u64::try_from(*number).map_or(Node::Number(*number as f64), Node::Integer)),
        Word::Number(number) if number.is_finite() => Ok(Node::Number(*number)),
        Word::Number(_) => Err(Refusal::new(format!("{} is not a finite number", word.quoted()), example(key))),
        _ => Err(must_be("a number with a unit", word, key)),
    }
}

/// One that file names, columns and devices can have in them.
fn hop(name: &str) -> Result<Node, Refusal> {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
    if name.len() <= LONGEST_HOP_NAME
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.bytes().all(is_letter)
    {
        return Ok(Node::Text(name.to_owned()));
    }
    let hint = format!("a letter or digit, and behind it up to {} more, \"-\" or \"_\"", LONGEST_HOP_NAME - 1);
    Err(Refusal::new(format!("{} is no name of a hop", quoted(name)), hint))
}

fn group(text: &str) -> Result<Node, Refusal> {
    let place = text.strip_prefix("flows[").and_then(|rest| rest.strip_suffix(']'));
    let is_place = |digits: &str| {
        (1..=MOST_DIGITS_OF_A_PLACE).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if place.is_some_and(is_place) {
        return Ok(Node::Text(text.to_owned()));
    }
    Err(Refusal::new(format!("{} is no group of flows", quoted(text)), "write it by its place, as \"flows[0]\""))
}

fn out_of_range(word: &Word) -> String {
    format!("{} is out of range", word.quoted())
}
