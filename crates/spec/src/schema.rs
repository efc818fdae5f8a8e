//! The keys as a JSON Schema (2020-12), for editors that check TOML by one. It cannot say what holds between fields.

use crate::catalogue;
use crate::key::{Key, Kind, Section, Shape};
use crate::keys::{BACK, LONGEST_HOP_NAME, MOST_SEEDS, PATH, SPEC};
use crate::link;
use crate::quantity::{self, MOMENT, SIZE, Spelling};
use crate::reader::{MOST_ARGUMENTS, example};
use crate::word::Word;
use serde_json::{Map, Value, json};

const NUMBER: &str = r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?";

/// The schema of a spec.
pub fn schema() -> Value {
    let mut schema = table(&SPEC);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A spec of dumbbell".into();
    let path = |keys: Vec<&str>| json!({"properties": {"path": {"required": keys}}});
    let own = replaceable(&PATH, |_| true);
    let recorded = own.iter().map(|key| if *key == "rate" { "trace" } else { key }).collect();
    let mut hops = path(replaceable(&PATH, |instead| !instead.contains(&"hops")));
    hops["required"] = json!(["hops"]);
    schema["anyOf"] = json!([path(vec!["link"]), hops, path(own), path(recorded)]);
    schema
}

fn table(section: &Section) -> Value {
    let properties: Map<String, Value> = section.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> =
        section.keys.iter().filter(|key| key.required && key.unless.is_empty()).map(|key| key.name).collect();
    let mut schema =
        json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties});
    for key in section.keys {
        // Of the path and its way back a link may have whatever is left out.
        if !key.unless.is_empty() && !std::ptr::eq(section, &PATH) && !std::ptr::eq(section, &BACK) {
            schema["anyOf"] = instead(section, key).into();
        }
    }
    schema
}

/// A key, or what its table may have in place of it: a key of its own, or one of a table in it.
fn instead(section: &Section, key: &Key) -> Vec<Value> {
    let other = |path: &&str| {
        let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
        if section.place(before).is_some() {
            return Some(json!({"required": [before], "properties": {before: {"required": [last]}}}));
        }
        section.place(last).map(|_| json!({"required": [last]}))
    };
    std::iter::once(json!({"required": [key.name]})).chain(key.unless.iter().filter_map(other)).collect()
}

/// The keys that a table must have where the spec has not something else in their place, if that is so.
fn replaceable(section: &Section, is_so: impl Fn(&[&str]) -> bool) -> Vec<&'static str> {
    section.keys.iter().filter(|key| !key.unless.is_empty() && is_so(key.unless)).map(|key| key.name).collect()
}

fn property(key: &Key) -> Value {
    let one = value(&key.kind);
    let mut schema = match key.shape {
        Shape::One => one,
        Shape::Swept | Shape::Several => {
            json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": value(&key.kind)}]})
        }
        Shape::Listed { least, most } => {
            json!({"type": "array", "minItems": least, "maxItems": most, "items": one})
        }
    };
    schema["description"] = key.about.into();
    if let Some(default) = key.default {
        schema["default"] = json!(Word::from(default));
    }
    if !key.examples.is_empty() && !example(key).starts_with("write [") {
        schema["examples"] = json!(key.examples.iter().map(|each| Word::from(*each)).collect::<Vec<_>>());
    }
    schema
}

fn value(kind: &Kind) -> Value {
    match kind {
        Kind::Quantity { of, .. } => quantity(of, |_| true),
        Kind::Room { in_bdp } => quantity(&SIZE, |unit| *in_bdp || unit != "bdp"),
        Kind::Options(options) => json!({"enum": options}),
        Kind::Link => json!({"enum": link::names()}),
        Kind::Measured => json!({"enum": catalogue::names()}),
        Kind::Level => json!({"type": ["string", "number"]}),
        Kind::Values => json!({"type": "object", "minProperties": 1}),
        Kind::Integer { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Number { least, inclusive, most } => {
            let lower = if *inclusive { "minimum" } else { "exclusiveMinimum" };
            json!({"type": "number", lower: least, "maximum": most})
        }
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Switch(options) => json!({"anyOf": [{"type": "boolean"}, {"enum": options}]}),
        Kind::Name => json!({"type": "string", "minLength": 1, "maxLength": 100}),
        Kind::Hop => {
            json!({"type": "string", "pattern": format!("^[A-Za-z0-9][A-Za-z0-9_-]{{0,{}}}$", LONGEST_HOP_NAME - 1)})
        }
        Kind::Route => json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
        Kind::Group => json!({"type": "string", "pattern": r"^flows\[[0-9]{1,6}\]$"}),
        Kind::Control => json!({"type": "string", "pattern": r"^\s*[^\s\[\]]+\s*(\[[^\[\]]*\]\s*)?$"}),
        Kind::File(_) => json!({"type": "string", "minLength": 1}),
        Kind::Seeds => json!({"anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MOST_SEEDS},
            {"type": "array", "minItems": 1, "maxItems": MOST_SEEDS, "uniqueItems": true,
             "items": {"type": "integer", "minimum": 0, "maximum": i64::MAX}},
        ]}),
        Kind::Zip => {
            json!({"type": "array", "items": {"type": "array", "minItems": 2, "items": {"type": "string"}}})
        }
        Kind::Window => {
            json!({"type": "array", "minItems": 2, "maxItems": 2, "items": quantity(&MOMENT, |_| true)})
        }
        Kind::Command => {
            let argument = json!({"type": "string", "minLength": 1});
            json!({"type": "array", "minItems": 1, "maxItems": MOST_ARGUMENTS, "items": argument})
        }
        Kind::Table(section) => table(section),
        Kind::OneOf { simple, tables, .. } => {
            let tables = tables.iter().map(|(_, section)| table(section));
            let any: Vec<Value> = std::iter::once(value(simple)).chain(tables).collect();
            json!({"anyOf": any})
        }
    }
}

/// A number with one of a kind's units, in every spelling that is forgiven, or a keyword.
fn quantity(kind: &quantity::Kind, takes: impl Fn(&str) -> bool) -> Value {
    let units = kind.units.iter().map(|(unit, _)| *unit).filter(|unit| takes(unit));
    let units: Vec<String> = units.map(|unit| spellings(unit, kind.spelling)).collect();
    let number = format!("{NUMBER} *({})", units.join("|"));
    let keywords: String = kind.keywords.iter().map(|keyword| format!("{keyword}|")).collect();
    json!({"type": "string", "pattern": format!(r"^({keywords}\s*{number}\s*)$")})
}

fn spellings(unit: &str, spelling: Spelling) -> String {
    match spelling {
        Spelling::Rate => format!("{}(/[sS])?", any_case(unit.trim_end_matches("/s"))),
        Spelling::Packets if unit.starts_with("packet") => format!("{}[sS]?", any_case("packet")),
        Spelling::Packets if unit == "bdp" => any_case(unit),
        _ => unit.to_owned(),
    }
}

fn any_case(unit: &str) -> String {
    unit.chars().map(|letter| format!("[{}{}]", letter.to_ascii_lowercase(), letter.to_ascii_uppercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_keys_or_a_link_or_there_are_hops() {
        let schema = schema();
        let (path, back) = (&schema["properties"]["path"], &schema["properties"]["path"]["properties"]["back"]);
        assert_eq!((&path["required"], &back["required"]), (&json!([]), &json!([])));
        let has = |keys: &[&str]| json!({"properties": {"path": {"required": keys}}});
        let mut hops = has(&["rtt"]);
        hops["required"] = json!(["hops"]);
        assert_eq!(schema["anyOf"], json!([has(&["link"]), hops, has(&["rate", "rtt"]), has(&["trace", "rtt"])]));
        let hop = &schema["properties"]["hops"]["items"];
        assert_eq!(hop["required"], json!(["name"]));
        assert_eq!(back["properties"]["hops"]["items"], *hop);
    }
}
