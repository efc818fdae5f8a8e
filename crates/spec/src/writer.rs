//! An experiment's words as a spec file, for those who want to run it again.

use crate::number::float;
use crate::word::{Fields, Word};

/// Of a list that is written on one line.
const COLUMNS: usize = 100;
/// Lists of tables, each of which has a header of its own.
pub const LISTS: [&str; 4] = ["flows", "hops", "change", "expect"];
/// The table that has a header of its own inside of another one.
const INNER: &str = "back";

/// TOML that says the same, in the order of the fields; tables that say nothing are left out.
pub fn toml(fields: &Fields) -> String {
    let mut tables = Vec::new();
    write(fields, "", "", &mut tables);
    tables.join("\n")
}

/// The text of a table, and of each table in it; one in a flow is written on one line.
fn write(fields: &Fields, name: &str, header: &str, tables: &mut Vec<String>) {
    let is_inner = |key: &str, word: &Word| {
        LISTS.contains(&key) || (matches!(word, Word::Table(_)) && (name.is_empty() || key == INNER))
    };
    let mut lines: Vec<String> = if header.is_empty() { vec![] } else { vec![header.to_owned()] };
    let own: Vec<String> = fields
        .iter()
        .filter(|(key, word)| !is_inner(key, word) && *word != Word::Nothing)
        .map(|(key, word)| format!("{} = {}", bare(key), value(word)))
        .collect();
    if !own.is_empty() {
        lines.extend(own);
        lines.push(String::new());
        tables.push(lines.join("\n"));
    }
    for (key, word) in fields.iter().filter(|(key, word)| is_inner(key, word)) {
        let full = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        match word {
            Word::List(entries) => {
                for entry in entries {
                    if let Word::Table(inner) = entry {
                        write(inner, &full, &format!("[[{full}]]"), tables);
                    }
                }
            }
            Word::Table(inner) => write(inner, &full, &format!("[{full}]"), tables),
            _ => {}
        }
    }
}

/// A value; a list that is too long for a line has a line for each of its values.
pub fn value(word: &Word) -> String {
    match word {
        Word::Text(text) => basic(text),
        Word::Integer(number) => number.to_string(),
        Word::Number(number) => float(*number),
        Word::Flag(flag) => flag.to_string(),
        Word::Other(what) => basic(what),
        Word::Nothing => basic(""),
        Word::Table(table) => {
            let fields: Vec<String> =
                table.iter().map(|(key, word)| format!("{} = {}", bare(key), value(word))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Word::List(entries) => {
            let values: Vec<String> = entries.iter().map(value).collect();
            let line = format!("[{}]", values.join(", "));
            if line.chars().count() <= COLUMNS {
                return line;
            }
            format!("[\n{}]", values.iter().map(|each| format!("    {each},\n")).collect::<String>())
        }
    }
}

fn bare(key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_".contains(&letter));
    if is_bare { key.to_owned() } else { basic(key) }
}

/// A text in double quotes (TOML 1.0, "basic strings").
fn basic(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|letter| match letter {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '\u{8}' => "\\b".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            letter if letter.is_control() && letter.is_ascii() => format!("\\u{:04x}", letter as u32),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
