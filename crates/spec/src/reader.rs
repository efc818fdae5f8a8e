//! From words to a [`Table`], each key by its own rules; what is wrong between keys is for [`crate::rules`].

mod value;

use crate::key::{Key, Kind, Section, Shape};
use crate::keys::{MOST_HOPS, MOST_SEEDS, PATH, SPEC};
use crate::link;
use crate::literal::Literal;
use crate::place::Place;
use crate::problem::{Problem, Refusal, suggestion};
use crate::quantity::MOMENT;
use crate::tree::{Node, Sweep, Table};
use crate::wish;
use crate::word::{Fields, Word};
use crate::writer;
use std::ops::RangeInclusive;

/// Of a program.
pub(crate) const MOST_ARGUMENTS: usize = 1_000;

/// Reads a spec's fields; a field with a problem is unknown.
pub fn read(fields: &Fields) -> (Table, Vec<Problem>) {
    let mut reader = Reader { spec: fields, problems: Vec::new() };
    let table = reader.table(&SPEC, fields, &Place::Top);
    (table, reader.problems)
}

struct Reader<'a> {
    spec: &'a Fields,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn table(&mut self, section: &'static Section, fields: &Fields, here: &Place<'_>) -> Table {
        let preset = if std::ptr::eq(section, &raw const PATH) { link::keys_under(fields) } else { Fields::new() };
        self.table_over(&preset, section, fields, here)
    }

    /// With the values of a preset where nothing is written.
    fn table_over(&mut self, preset: &Fields, section: &'static Section, fields: &Fields, here: &Place<'_>) -> Table {
        let under = |key: &Key| preset.iter().find(|(name, _)| name == key.name).map(|(_, word)| word);
        let mut nodes: Vec<Option<Node>> = section
            .keys
            .iter()
            .map(|key| {
                let place = here.key(key.name);
                let is_absent = |word: &Word| *word == Word::Nothing && !key.required && key.default.is_none();
                match fields.iter().find(|(name, word)| name == key.name && !is_absent(word)) {
                    Some((_, Word::Table(inner)))
                        if let (Kind::Table(section), Some(Word::Table(preset))) = (key.kind, under(key)) =>
                    {
                        Some(Node::Table(self.table_over(preset, section, inner, &place)))
                    }
                    Some((_, word)) => Some(self.field(key, word, &place)),
                    None if key.required
                        && under(key).is_none()
                        && !key.unless.iter().any(|path| has(self.spec, path) || has(fields, path)) =>
                    {
                        Some(self.refuse(&place, Refusal::new("missing", example(key))))
                    }
                    None => None,
                }
            })
            .collect();
        let mut table = Table::new(section, default);
        for (name, _) in fields {
            match section.place(name) {
                Some(place) => {
                    if let Some(node) = nodes[place].take() {
                        table.write(place, node);
                    }
                }
                None => {
                    self.refuse(&here.key(name), Refusal::new("unknown key", known_key(section, name)));
                }
            }
        }
        for (place, node) in nodes.into_iter().enumerate() {
            if let Some(missing) = node {
                table.write(place, missing);
            }
        }
        for (place, key) in section.keys.iter().enumerate() {
            let Some(word) = under(key).filter(|_| !table.is_written(key.name)) else { continue };
            let own = here.key(key.name);
            let node = match (key.kind, word) {
                (Kind::Table(section), Word::Table(preset)) => {
                    Node::Table(self.table_over(preset, section, &Fields::new(), &own))
                }
                _ => self.field(key, word, &own),
            };
            table.fill(place, node);
        }
        table
    }

    fn field(&mut self, key: &'static Key, word: &Word, here: &Place<'_>) -> Node {
        match (key.shape, word) {
            (Shape::One, _) => self.value(key, &key.kind, word, here),
            (Shape::Swept, Word::List(entries)) if is_sweep(key, entries) => {
                if entries.is_empty() {
                    return self.refuse(here, Refusal::new("the list is empty", example(key)));
                }
                let read = |(index, word)| self.value(key, &key.kind, word, &here.entry(index));
                let values: Vec<Node> = entries.iter().enumerate().map(read).collect();
                let is_known = values.iter().all(|value| !matches!(value, Node::Unknown));
                if is_known { Node::Sweep(Sweep { axis: None, values }) } else { Node::Unknown }
            }
            (Shape::Several, Word::List(entries)) => {
                let read = self.list(entries, here, |word| match value::of(key, &key.kind, word)? {
                    Node::Text(text) => Ok(text),
                    _ => Err(value::must_be("text", word, key)),
                });
                self.sized(read, here, 1..=usize::MAX, &example(key), Node::Texts)
            }
            (Shape::Swept | Shape::Several, _) => self.value(key, &key.kind, word, here),
            (Shape::Listed { least, most }, Word::List(entries)) => {
                let Kind::Table(section) = key.kind else { return Node::Unknown };
                let mut tables = Vec::new();
                for (index, word) in entries.iter().enumerate().take(most) {
                    match word {
                        Word::Table(fields) => tables.push(self.table(section, fields, &here.entry(index))),
                        _ => {
                            self.refuse(&here.entry(index), value::must_be("a table", word, key));
                        }
                    }
                }
                if entries.len() > most {
                    return self.refuse(here, Refusal::new("the list is too long", format!("at most {most}")));
                }
                if entries.len() < least {
                    return self.refuse(here, Refusal::new("the list is empty", example(key)));
                }
                if tables.len() < entries.len() { Node::Unknown } else { Node::Tables(tables) }
            }
            (Shape::Listed { .. }, _) => self.refuse(here, value::must_be("a list", word, key)),
        }
    }

    fn value(&mut self, key: &'static Key, kind: &'static Kind, word: &Word, here: &Place<'_>) -> Node {
        match (kind, word) {
            (Kind::Table(section), Word::Table(fields)) => Node::Table(self.table(section, fields, here)),
            (Kind::Values, Word::Table(fields)) if !fields.is_empty() => Node::Values(fields.clone()),
            (Kind::Table(_) | Kind::Values, _) => self.refuse(here, value::must_be("a table", word, key)),
            (Kind::OneOf { tables, noun, hint, .. }, Word::Table(fields)) => {
                let has = |name: &str| fields.iter().any(|(written, _)| written == name);
                match tables.iter().find(|(name, _)| has(name)) {
                    Some((_, section)) => Node::Table(self.table(section, fields, here)),
                    None => self.refuse(here, value::no_such_table(fields, noun, hint)),
                }
            }
            (Kind::OneOf { simple, noun, hint, .. }, _) => match (simple, word) {
                (Kind::Options(known), Word::Text(text)) if known.contains(&&**text) => Node::Text(text.clone()),
                (Kind::Options(_), _) => self.refuse(here, value::neither(word, noun, hint)),
                _ => self.value(key, simple, word, here),
            },
            (Kind::Command, Word::List(entries)) => {
                let read = self.list(entries, here, |word| value::argument(key, word));
                self.sized(read, here, 1..=MOST_ARGUMENTS, "write the program's name and its arguments", Node::Texts)
            }
            (Kind::Route, Word::List(entries)) => {
                let read = self.list(entries, here, |word| value::text(key, word));
                self.sized(read, here, 1..=2 * MOST_HOPS, &example(key), Node::Texts)
            }
            (Kind::Seeds, Word::List(entries)) => {
                let read = self.list(entries, here, |word| value::integer(key, word, 0, i64::MAX as u64));
                self.sized(read, here, 1..=MOST_SEEDS as usize, &example(key), Node::Seeds)
            }
            (Kind::Window, Word::List(entries)) if entries.len() > 2 => {
                self.refuse(here, Refusal::new("the list is too long", "at most 2"))
            }
            (Kind::Window, Word::List(entries)) => {
                let read = self.list(entries, here, |word| MOMENT.read_word(word, None));
                self.sized(read, here, 2..=2, &example(key), |moments| {
                    moments.try_into().map_or(Node::Unknown, |both| Node::Window(Box::new(both)))
                })
            }
            (Kind::Zip, Word::List(entries)) => {
                let mut bundles = Vec::new();
                for (index, word) in entries.iter().enumerate() {
                    let place = here.entry(index);
                    let Word::List(bundle) = word else {
                        self.refuse(&place, value::must_be("a list", word, key));
                        continue;
                    };
                    let read = self.list(bundle, &place, |word| value::text(key, word));
                    let mut given = Vec::new();
                    let take = |paths| {
                        given = paths;
                        Node::Absent
                    };
                    if !matches!(self.sized(read, &place, 2..=usize::MAX, "", take), Node::Unknown) {
                        bundles.push(given);
                    }
                }
                if bundles.len() < entries.len() { Node::Unknown } else { Node::Zip(bundles) }
            }
            _ => value::of(key, kind, word).unwrap_or_else(|refusal| self.refuse(here, refusal)),
        }
    }

    /// Every entry of a list; None where one has a problem.
    fn list<T>(
        &mut self,
        entries: &[Word],
        here: &Place<'_>,
        read: impl Fn(&Word) -> Result<T, Refusal>,
    ) -> Option<Vec<T>> {
        let mut values = Vec::with_capacity(entries.len());
        for (index, word) in entries.iter().enumerate() {
            match read(word) {
                Ok(value) => values.push(value),
                Err(refusal) => {
                    self.refuse(&here.entry(index), refusal);
                }
            }
        }
        (values.len() == entries.len()).then_some(values)
    }

    /// A list of a length that is allowed.
    fn sized<T>(
        &mut self,
        read: Option<Vec<T>>,
        here: &Place<'_>,
        lengths: RangeInclusive<usize>,
        hint: &str,
        node: impl FnOnce(Vec<T>) -> Node,
    ) -> Node {
        let Some(values) = read else { return Node::Unknown };
        if values.is_empty() && *lengths.start() > 0 {
            return self.refuse(here, Refusal::new("the list is empty", hint));
        }
        if values.len() < *lengths.start() {
            return self.refuse(here, Refusal::new("the list is too short", hint));
        }
        if values.len() > *lengths.end() {
            return self.refuse(here, Refusal::new("the list is too long", format!("at most {}", lengths.end())));
        }
        node(values)
    }

    fn refuse(&mut self, here: &Place<'_>, refusal: Refusal) -> Node {
        self.problems.push(refusal.at(here.to_string()));
        Node::Unknown
    }
}

/// Whether a spec has a field, and be it one with a problem.
fn has(fields: &Fields, path: &str) -> bool {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    match (fields.iter().find(|(key, _)| key == name), rest) {
        (Some((_, Word::Table(inner))), Some(rest)) => has(inner, rest),
        (Some((_, word)), None) => *word != Word::Nothing,
        _ => false,
    }
}

/// Whether a list is one of values, and not a value itself.
fn is_sweep(key: &Key, entries: &[Word]) -> bool {
    !matches!(key.kind, Kind::Command | Kind::Route) || matches!(entries.first(), Some(Word::List(_)))
}

/// What stands there where nothing is written.
fn default(key: &'static Key) -> Node {
    match (key.kind, key.shape) {
        (Kind::Table(section), Shape::One) if !key.required => Node::Table(Table::new(section, default)),
        (_, Shape::Listed { .. }) => Node::Tables(Vec::new()),
        (Kind::Zip, _) => Node::Zip(Vec::new()),
        (kind, shape) => key.default.map_or(Node::Absent, |literal| match (kind, literal) {
            (Kind::OneOf { simple: Kind::Options(_), .. }, Literal::Text(text)) => Node::Text(text.to_owned()),
            (Kind::OneOf { simple, .. }, _) => value::of(key, simple, &literal.into()).unwrap_or(Node::Unknown),
            (_, Literal::List(literals)) if shape == Shape::Several => {
                let text =
                    |word: &Literal| if let Literal::Text(text) = word { Some((*text).to_owned()) } else { None };
                Node::Texts(literals.iter().filter_map(text).collect())
            }
            _ => value::of(key, &key.kind, &literal.into()).unwrap_or(Node::Unknown),
        }),
    }
}

/// How a key is written, if it has an example.
pub(crate) fn example(key: &Key) -> String {
    match key.examples.first() {
        None => String::new(),
        Some(Literal::Header(header)) => format!("write {header}"),
        Some(value) => format!("write {} = {}", key.name, writer::value(&Word::from(*value))),
    }
}

/// A key of the table that was probably meant, or the table that has such a key.
fn known_key(section: &'static Section, name: &str) -> String {
    if !section.only.is_empty() {
        return section.only.to_owned();
    }
    let is_ours = |table: &Section| std::ptr::eq(table, section);
    if let Some(key) = SPEC.keys.iter().find(|key| key.name == name && !is_ours(&SPEC))
        && matches!(key.kind, Kind::Table(_))
    {
        return format!("it is a table of its own: {}", example(key));
    }
    if wish::instead_of(name).is_none() && wish::meaning_of(name).is_none() {
        for key in SPEC.keys {
            if let Kind::Table(table) = key.kind
                && !is_ours(table)
                && table.place(name).is_some()
            {
                let listed = matches!(key.shape, Shape::Listed { .. });
                let header = if listed { format!("[[{}]]", key.name) } else { format!("[{}]", key.name) };
                return format!("\"{name}\" belongs in {header}");
            }
        }
    }
    suggestion(name, &section.keys.iter().map(|key| key.name).collect::<Vec<_>>())
}
