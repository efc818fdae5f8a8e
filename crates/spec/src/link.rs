//! Presets of links: sets of keys of `[path]` with a name, `path.link`, from `links.toml`. What a spec writes itself goes before them.

use crate::source::set;
use crate::word::{Fields, Word};
use serde::Deserialize;
use std::sync::LazyLock;

/// A set of keys with a name.
#[derive(Debug)]
pub struct Link {
    /// How a spec names it.
    pub name: String,
    /// What it is: sentences, in Markdown.
    pub about: String,
    /// Its keys, in the order of the documents.
    pub keys: Vec<LinkKey>,
}

/// A key of a preset.
#[derive(Debug)]
pub struct LinkKey {
    /// Its path in `[path]`: `rate`, `back.buffer`.
    pub path: String,
    /// As a spec would write it.
    pub value: Word,
    /// The measurement or the standard that the value comes from, in Markdown.
    pub source: String,
}

/// One of `links.toml`.
#[derive(Deserialize)]
struct Row {
    about: String,
    keys: Vec<KeyRow>,
}

#[derive(Deserialize)]
struct KeyRow {
    key: String,
    value: toml::Value,
    source: String,
}

static LINKS: LazyLock<Vec<Link>> = LazyLock::new(|| {
    let rows: toml::Table = include_str!("links.toml").parse().unwrap_or_default();
    let link = |(name, row): (String, toml::Value)| {
        let Row { about, keys } = row.try_into().expect("what it is, and its keys");
        let keys = keys.into_iter().map(|row| LinkKey { path: row.key, value: row.value.into(), source: row.source });
        Link { name, about, keys: keys.collect() }
    };
    rows.into_iter().map(link).collect()
});

/// Every preset, in the order of the documents.
pub fn links() -> &'static [Link] {
    &LINKS
}

/// Their names.
pub fn names() -> Vec<&'static str> {
    LINKS.iter().map(|link| &*link.name).collect()
}

/// What stands under a `[path]` with these fields: the keys of its preset, if it names one that there is.
///
/// A change leaves what the fields write themselves, and a recorded line, `trace`, has its own rate and changes.
pub fn keys_under(path: &Fields) -> Fields {
    let written = |name: &str| path.iter().find(|(key, word)| key == name && *word != Word::Nothing);
    let named = if let Some((_, Word::Text(name))) = written("link") { name } else { "" };
    let mut fields = Fields::new();
    for key in LINKS.iter().filter(|link| link.name == *named).flat_map(|link| &link.keys) {
        let is_recorded = written("trace").is_some() && ["rate", "change"].contains(&&*key.path);
        let value = match &key.value {
            Word::List(changes) => Word::List(changes.iter().filter_map(|each| left(each, &written)).collect()),
            value => value.clone(),
        };
        if !is_recorded && value != Word::List(Vec::new()) {
            // Each path is one of a table, which there is or which is made.
            let _: Result<(), crate::Problem> = set(&mut fields, &key.path, value);
        }
    }
    fields
}

/// A `[path]` with the keys of its preset where it writes none itself.
pub fn completed(path: Fields) -> Fields {
    over(keys_under(&path), path)
}

/// Some fields over those of a preset.
fn over(preset: Fields, own: Fields) -> Fields {
    let mut fields = preset;
    for (name, word) in own {
        match (fields.iter_mut().find(|(key, _)| *key == name), word) {
            (Some((_, Word::Table(under))), Word::Table(inner)) => *under = over(std::mem::take(under), inner),
            (Some((_, under)), word) => *under = word,
            (None, word) => fields.push((name, word)),
        }
    }
    fields
}

/// What a change changes that is not written elsewhere; None: nothing.
fn left<'a>(change: &Word, written: &impl Fn(&str) -> Option<&'a (String, Word)>) -> Option<Word> {
    let Word::Table(fields) = change else { return None };
    let is_left = |(key, _): &&(String, Word)| written(key).is_none();
    let fields: Fields = fields.iter().filter(is_left).cloned().collect();
    let is_moment = |(key, _): &(String, Word)| ["at", "over", "every"].contains(&&**key);
    (!fields.iter().all(is_moment)).then_some(Word::Table(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_writes_goes_over_its_preset() {
        let own: Fields = "link = \"dsl_25_5\"\nrtt = \"9 ms\"\n[back]\nrate = \"1 Mbit/s\""
            .parse::<toml::Table>()
            .map(|table| table.into_iter().map(|(key, value)| (key, value.into())).collect())
            .expect("fields");
        let completed = completed(own);
        let at = |fields: &Fields, name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, word)| word.clone());
        assert_eq!(at(&completed, "rate"), Some("25 Mbit/s".into()));
        assert_eq!(at(&completed, "rtt"), Some("9 ms".into()));
        let Some(Word::Table(back)) = at(&completed, "back") else { panic!("a way back") };
        assert_eq!([at(&back, "rate"), at(&back, "buffer")], [Some("1 Mbit/s".into()), Some("250 ms".into())]);
    }

    #[test]
    fn a_recorded_line_has_its_own_rate_and_changes() {
        let path = vec![("link".to_owned(), "starlink".into()), ("trace".to_owned(), "dish.csv".into())];
        let keys: Vec<String> = keys_under(&path).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["rtt", "buffer", "back"]);
        assert!(keys_under(&vec![("link".to_owned(), "no such link".into())]).is_empty());
    }
}
