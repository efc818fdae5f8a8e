//! What the model's crates use: the features that they ask for, and the versions that are locked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toml::{Table, Value};

use crate::{Error, MODEL, Parts, read};

/// Tables of a manifest that change no behaviour, but for the edition.
const IDLE: [&str; 6] = ["bench", "dev-dependencies", "example", "lints", "package", "test"];

/// What a package of the lock uses for tests only, where `proptest` turns on a feature of it.
const OF_TESTS: [(&str, &str); 1] = [("rand_core", "getrandom")];

/// Adds what the manifests of the workspace at `root` ask for, and what its lock has for that.
pub fn add(root: &Path, parts: &mut Parts) -> Result<(), Error> {
    let workspace = table(&root.join("Cargo.toml"))?;
    let mut add = |value: Option<&Value>| parts.add(&value.map(Value::to_string).unwrap_or_default());
    add(at(&workspace, &["workspace", "package", "edition"]));
    for name in MODEL {
        let manifest = manifest(root, name)?;
        add(at(&manifest, &["package", "edition"]));
        add(manifest.get("features"));
        add(manifest.get("dependencies"));
        for dependency in dependencies(&manifest) {
            add(at(&workspace, &["workspace", "dependencies", dependency]));
        }
    }
    for (name, version) in used(root)? {
        parts.add(&name);
        parts.add(&version);
    }
    Ok(())
}

/// The packages that a build of the model has beside the model's crates, each with its version, source and checksum.
fn used(root: &Path) -> Result<BTreeSet<(String, String)>, Error> {
    let lock = table(&root.join("Cargo.lock"))?;
    let mut locked = BTreeMap::<&str, Vec<&Table>>::new();
    for package in lock.get("package").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table) {
        locked.entry(text(package, "name")).or_default().push(package);
    }
    let mut used = BTreeSet::new();
    let mut rest = Vec::new();
    for name in MODEL {
        // The lock has what tests use among a crate's dependencies, the manifest has not.
        let all: Vec<_> = locked.get(name).into_iter().flatten().flat_map(|package| needs(package)).collect();
        let manifest = manifest(root, name)?;
        for dependency in dependencies(&manifest) {
            let before = rest.len();
            rest.extend(all.iter().filter(|(need, _)| *need == dependency));
            if rest.len() == before {
                return Err(Error(format!("Cargo.lock has no {dependency} for {name}")));
            }
        }
    }
    while let Some((name, version)) = rest.pop() {
        for package in locked.get(name).into_iter().flatten() {
            if MODEL.contains(&name) || version.is_some_and(|version| version != text(package, "version")) {
                continue;
            }
            let [number, source, checksum] = ["version", "source", "checksum"].map(|key| text(package, key));
            if source.is_empty() {
                return Err(Error(format!("the identity has no sources of the crate {name}, which the model uses")));
            }
            if used.insert((name.to_owned(), format!("{number} {source} {checksum}"))) {
                rest.extend(needs(package).filter(|need| !OF_TESTS.contains(&(name, need.0))));
            }
        }
    }
    Ok(used)
}

/// What a package of the lock depends on: names, with versions where there are several.
fn needs(package: &Table) -> impl Iterator<Item = (&str, Option<&str>)> {
    let all = package.get("dependencies").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    all.map(|need| {
        let mut fields = need.split(' ');
        (fields.next().unwrap_or_default(), fields.next())
    })
}

/// The names of the packages in a manifest's `[dependencies]`.
fn dependencies(manifest: &Table) -> impl Iterator<Item = &str> {
    manifest.get("dependencies").and_then(Value::as_table).into_iter().flat_map(Table::keys).map(String::as_str)
}

/// The manifest of a crate of the model, of whose tables each is known.
fn manifest(root: &Path, name: &str) -> Result<Table, Error> {
    let path = root.join("crates").join(name).join("Cargo.toml");
    let manifest = table(&path)?;
    let is_known = |key: &str| ["dependencies", "features"].contains(&key) || IDLE.contains(&key);
    match manifest.keys().find(|key| !is_known(key)) {
        Some(key) => Err(Error(format!("{}: the identity does not know what [{key}] decides", path.display()))),
        None => Ok(manifest),
    }
}

fn table(path: &Path) -> Result<Table, Error> {
    read(path)?.parse().map_err(|error| Error(format!("{}: {error}", path.display())))
}

fn at<'table>(table: &'table Table, keys: &[&str]) -> Option<&'table Value> {
    let (last, way) = keys.split_last()?;
    way.iter().try_fold(table, |table, key| table.get(*key)?.as_table())?.get(*last)
}

fn text<'table>(table: &'table Table, key: &str) -> &'table str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// cargo knows which features are on; the lock does not, which has what any of them needs.
    #[test]
    fn the_packages_are_those_that_cargo_builds_the_model_from() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        // By their places, since crates.io has a `cc` as well.
        let places = MODEL.map(|name| format!("path+file://{}", root.join("crates").join(name).display()));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&root).args("tree --frozen --edges normal --prefix none --format".split(' ')).arg("{p}");
        let done = cargo.args(places.iter().flat_map(|place| ["--package", place])).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let tree = String::from_utf8(done.stdout).unwrap();
        let of_cargo: BTreeSet<_> = tree
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| !MODEL.contains(name))
            .collect();
        let used = used(&root).unwrap();
        assert_eq!(used.iter().map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>(), of_cargo);
    }
}
