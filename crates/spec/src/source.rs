//! Where a spec's words come from: TOML, and values that are set from outside, as the command line does.

use crate::problem::{Problem, quoted};
use crate::word::{Fields, Word, fields_of};
use crate::writer::LISTS;

/// Of a place in a list.
const MOST_DIGITS: usize = 6;

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step<'a> {
    Key(&'a str),
    Entry(usize),
}

/// The fields of a spec in TOML; `name` is what a problem calls it.
///
/// # Errors
/// What is no TOML, and where.
pub fn parse(text: &str, name: &str) -> Result<Fields, Problem> {
    text.parse::<toml::Table>().map(fields_of).map_err(|error| {
        let reason = error.message().trim_end_matches('\n').replace('\n', ", ");
        let place = error.span().map(|span| {
            let before = &text[..span.start.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
            format!("line {line}, column {column}: ")
        });
        let twice = named(text, &error).filter(|_| reason == "duplicate key");
        let reason = twice.map_or(reason, |key| format!("{} is there twice", quoted(key)));
        let hint = twice.filter(|key| LISTS.contains(key)).map_or_else(
            || "a line of TOML is key = \"value\", [table] or [[list of tables]]".to_owned(),
            |list| format!("write [[{list}]]: a list, a table for each"),
        );
        Problem::new(name, format!("{}not TOML: {reason}", place.unwrap_or_default()), hint)
    })
}

/// The text that an error is about.
fn named<'a>(text: &'a str, error: &toml::de::Error) -> Option<&'a str> {
    Some(text.get(error.span()?)?.trim_matches(|letter: char| !letter.is_alphanumeric()))
}

/// Reads `path=value` of a command line; the value is TOML where it can be, else text.
///
/// # Errors
/// Where it sets no field.
pub fn assignment(text: &str) -> Result<(String, Word), Problem> {
    let halves = text.split_once('=').map(|(path, value)| (path.trim(), value.trim()));
    let Some((path, value)) = halves.filter(|(path, _)| is_path(path)) else {
        let hint = "write it as path.rtt=\"50 ms\"";
        return Err(Problem::new("", format!("{} sets no field", quoted(text)), hint));
    };
    let parsed = format!("value = {value}").parse::<toml::Table>().ok().filter(|table| table.len() == 1);
    let word = parsed.and_then(|mut table| table.remove("value")).map_or_else(|| value.into(), Word::from);
    Ok((path.to_owned(), word))
}

/// Whether a text is written as the path of a field.
pub fn is_path(text: &str) -> bool {
    steps(text).is_some()
}

/// Sets the field at a path; tables on the way are made, entries of lists are not.
///
/// # Errors
/// When there is no such place.
pub fn set(fields: &mut Fields, path: &str, value: Word) -> Result<(), Problem> {
    let Some(steps) = steps(path) else {
        return Err(Problem::new(path, "is no path of a field", "write it as path.rtt or flows[0].cc"));
    };
    let mut top = Word::Table(std::mem::take(fields));
    let outcome = put(&mut top, &steps, value, path);
    if let Word::Table(changed) = top {
        *fields = changed;
    }
    outcome
}

fn put(place: &mut Word, steps: &[Step<'_>], value: Word, path: &str) -> Result<(), Problem> {
    let Some((step, rest)) = steps.split_first() else {
        *place = value;
        return Ok(());
    };
    match (step, place) {
        (Step::Entry(index), Word::List(entries)) if *index < entries.len() => {
            put(&mut entries[*index], rest, value, path)
        }
        (Step::Entry(_), _) => {
            Err(Problem::new(path, "there is no such entry", "count from 0, among those that the spec has"))
        }
        (Step::Key(key), Word::Table(fields)) => {
            let known = fields.iter().position(|(name, _)| name == key);
            let index = known.unwrap_or_else(|| {
                fields.push(((*key).to_owned(), Word::Table(Vec::new())));
                fields.len() - 1
            });
            put(&mut fields[index].1, rest, value, path)
        }
        (Step::Key(key), _) => {
            let message = format!("there is no table that could have {}", quoted(key));
            Err(Problem::new(path, message, "name a field of a table"))
        }
    }
}

fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, entry) = match part.split_once('[') {
            Some((key, rest)) => (key, Some(rest.strip_suffix(']')?)),
            None => (part, None),
        };
        let is_name = key.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && key.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
        if !is_name {
            return None;
        }
        steps.push(Step::Key(key));
        if let Some(digits) = entry {
            let is_short =
                (1..=MOST_DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
            steps.push(Step::Entry(if is_short { digits.parse().ok()? } else { return None }));
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_toml_or_text() {
        assert_eq!(assignment("path.rtt=50 ms"), Ok(("path.rtt".into(), "50 ms".into())));
        assert_eq!(assignment("flows[0].count = 3"), Ok(("flows[0].count".into(), Word::Integer(3))));
        let list = Word::List(vec!["1 bdp".into(), "2 bdp".into()]);
        assert_eq!(assignment("path.buffer=[\"1 bdp\", \"2 bdp\"]"), Ok(("path.buffer".into(), list)));
        assert!(assignment("flows[].cc=bbr").is_err());
    }

    #[test]
    fn a_field_is_set_at_its_path() {
        let mut fields = parse("[[flows]]\ncc = \"bbr\"\n", "spec").expect("TOML");
        set(&mut fields, "flows[0].access.rate", "1 Gbit/s".into()).expect("a place");
        assert_eq!(crate::writer::toml(&fields), "[[flows]]\ncc = \"bbr\"\naccess = { rate = \"1 Gbit/s\" }\n");
        assert!(set(&mut fields, "flows[1].cc", "bbr".into()).is_err());
        assert!(set(&mut fields, "flows[0].cc.x", "bbr".into()).is_err());
        assert!(set(&mut fields, "flows[0", "bbr".into()).is_err());
    }

    #[test]
    fn what_is_no_toml_says_where() {
        let problem = parse("duration = \"1 s\"\npath = {\n", "spec").expect_err("no TOML");
        assert!(problem.message.contains("not TOML"), "{problem}");
        let problem = parse("[flows]\ncc = \"bbr\"\n[flows]\ncc = \"reno\"\n", "spec").expect_err("no TOML");
        assert_eq!(problem.hint, "write [[flows]]: a list, a table for each", "{problem}");
    }
}
