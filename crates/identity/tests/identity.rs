//! What changes the identity and what does not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use identity::{Error, identity, sources};

const SIM: &str = "crates/sim/Cargo.toml";
const USES: &str = "[dependencies]\n";
const TESTS_USE: &str = "[dev-dependencies]\n";

/// Of the model without code: it is quick to read.
const LIB: &str = "crates/sim/src/lib.rs";
const PART: &str = "crates/sim/src/part.rs";

/// A copy of all that the identity reads.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> Self {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _none_yet = fs::remove_dir_all(&copy);
        for source in sources() {
            copy_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&source), &copy.join(&source));
        }
        Self(copy)
    }

    /// A copy with little code.
    fn small(name: &str) -> Self {
        let copy = Self::new(name);
        for folder in sources().filter(|source| source.ends_with("src")) {
            fs::remove_dir_all(copy.0.join(&folder)).unwrap();
            fs::create_dir(copy.0.join(&folder)).unwrap();
            fs::write(copy.0.join(folder).join("lib.rs"), "").unwrap();
        }
        fs::write(copy.0.join(LIB), "mod part;\n").unwrap();
        fs::write(copy.0.join(PART), "fn part(x: u8) {\n    x;\n}\n").unwrap();
        copy
    }

    fn identity(&self) -> String {
        identity(&self.0).unwrap()
    }

    fn change(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path).unwrap();
        let changed = change(&text);
        assert!(changed != text, "{file} is as it was");
        fs::write(path, changed).unwrap();
    }

    fn replace(&self, file: &str, old: &str, new: &str) {
        self.change(file, |text| {
            assert_eq!(text.matches(old).count(), 1, "{file}: {old}");
            text.replace(old, new)
        });
    }

    /// What the identity is while `file` has `new` where it has `old`, once.
    fn replaced(&self, file: &str, old: &str, new: &str) -> Result<String, Error> {
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        self.replace(file, old, new);
        let changed = identity(&self.0);
        fs::write(self.0.join(file), text).unwrap();
        changed
    }

    /// What the identity is while `file` ends in `code`.
    fn appended(&self, file: &str, code: &str) -> Result<String, Error> {
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        self.change(file, |text| format!("{text}{code}\n"));
        let changed = identity(&self.0);
        fs::write(self.0.join(file), text).unwrap();
        changed
    }

    /// What the identity is while the lock has another version of a package.
    fn locked(&self, name: &str) -> String {
        let head = format!("name = \"{name}\"\nversion = \"");
        self.replaced("Cargo.lock", &head, &format!("{head}9")).unwrap()
    }
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

fn assert_all_differ(identities: &[String]) {
    assert_eq!(identities.iter().collect::<BTreeSet<_>>().len(), identities.len(), "{identities:#?}");
}

#[test]
fn the_models_comments_layout_and_tests_change_nothing() {
    let copy = Copy::new("words");
    let before = copy.identity();
    copy.change("crates/units/src/time.rs", |text| format!("//! Of time.\n\n{text}// The end.\n"));
    copy.change("crates/run/src/source.rs", |text| text.replace('\n', "\n\n").replace("    ", "\t"));
    copy.change("crates/cc/src/bbr/drain.rs", |text| text.replace('\n', "\r\n"));
    copy.replace("crates/cc/src/registry.rs", "/// Calls the same method on whichever it is.", "/// Calls it.");
    copy.change("crates/sim/src/tcp/rtt.rs", |text| text.replace("\n}\n", "\n} // The end.\n"));
    copy.replace("crates/sim/src/tcp/rtt.rs", "mod tests {\n", "mod tests {\n    const SOME: u32 = 1;\n");
    copy.change("crates/sim/src/tcp/script/undo.rs", |text| format!("{text}const SOME: u32 = 1;\n"));
    copy.change("crates/cc/src/ideal_path.rs", |_| "no code".to_owned());
    copy.change("crates/run/src/samples.rs", |_| "no code".to_owned());
    assert_eq!(copy.identity(), before);
}

#[test]
fn the_models_constants_change_it() {
    let copy = Copy::new("constants");
    let mut identities = vec![copy.identity()];
    for (file, old, new) in [
        ("crates/units/src/time.rs", "self.0 / 1_000\n", "self.0 / 1_001\n"),
        ("crates/run/src/hop.rs", "ETHERNET_HEADER_BYTES: u32 = 14", "ETHERNET_HEADER_BYTES: u32 = 15"),
        ("crates/cc/src/cubic/curve.rs", "STANDSTILL_WINDOWS: Segments = 100", "STANDSTILL_WINDOWS: Segments = 101"),
        ("crates/sim/src/tcp/rtt.rs", "RTO_MIN_US: u32 = 200_000", "RTO_MIN_US: u32 = 300_000"),
    ] {
        copy.change(file, |text| text.replace(old, new));
        identities.push(copy.identity());
    }
    assert_all_differ(&identities);
}

#[test]
fn text_for_readers_changes_nothing() {
    let copy = Copy::small("comments");
    let before = copy.identity();
    for head in
        ["// A comment.\n", "/* A\ncomment. */ ", "//! Words.\n", "#![doc = \"Words.\"]\n", "#![allow(dead_code)]\n"]
    {
        assert_eq!(copy.replaced(LIB, "mod part", &format!("{head}mod part")).unwrap(), before, "{head}");
    }
    for head in ["/// Words.\n", "/** Words. */ ", "#[doc(hidden)] ", "#[expect(dead_code, reason = \"words\")] "] {
        assert_eq!(copy.replaced(PART, "fn", &format!("{head}fn")).unwrap(), before, "{head}");
        assert_eq!(copy.replaced(PART, "x: u8", &format!("{head}x: u8")).unwrap(), before, "{head}");
    }
    assert_eq!(copy.replaced(PART, "\n    x;\n}", "x ; }\n\n").unwrap(), before);
    for file in ["Cargo.toml", SIM, "Cargo.lock"] {
        assert_eq!(copy.appended(file, "# A comment.").unwrap(), before, "{file}");
    }
    let [with_doc, without] = ["/// Words.\n #[doc = $words] ", ""]
        .map(|doc| copy.appended(PART, &format!("macro_rules! made {{ () => {{ {doc}fn made() {{}} }} }}")).unwrap());
    assert_eq!(with_doc, without);
}

#[test]
fn tests_change_nothing() {
    let copy = Copy::small("tests");
    let before = copy.identity();
    for code in [
        "#[cfg(test)] fn more() {}",
        "#[cfg(test)] mod tests { #[test] fn one_is_one() { assert_eq!(1, 1); } }",
        "#[cfg(test)] mod tests;",
        "#[cfg(test)] use std::{fmt, io};",
        "/// Words.\n #[cfg(test)] impl Default for Part { fn default() -> Self { Part } }",
        "#[cfg(all(unix, test))] const MORE: u32 = 1;",
        "#[cfg(any(test, feature = \"samples\"))] const MORE: u32 = 1;",
        "#[cfg(not(any(unix, not(test))))] const MORE: u32 = 1;",
    ] {
        assert_eq!(copy.appended(PART, code).unwrap(), before, "{code}");
    }
    for (bare, with_tests) in [
        ("struct A { a: u8, }", "struct A { a: u8, #[cfg(test)] x: Vec<(u8, u8)>, }"),
        ("struct A(u8,);", "struct A(u8, #[cfg(test)] u8,);"),
        ("enum A { B, }", "enum A { B, #[cfg(test)] X { a: u8 }, }"),
        ("impl A { fn a() {} }", "impl A { #[cfg(test)] const X: u8 = 1; fn a() {} }"),
        ("trait A { fn a(); }", "trait A { #[cfg(test)] fn x(); fn a(); }"),
        ("mod a { fn a() {} }", "mod a { #[cfg(test)] mod tests; fn a() {} }"),
        ("fn a() { b(); }", "fn a() { #[cfg(test)] let x = 1; #[cfg(test)] x!(y); #[cfg(test)] { x(); } b(); }"),
        ("fn a() { b(|| {}); }", "fn a() { b(|| { #[cfg(test)] x.y(); #[cfg(test)] x = y; }); }"),
        ("fn a() { match b { C => {} } }", "fn a() { match b { #[cfg(test)] X { .. } => {} C => {} } }"),
        ("fn a() { A { b, } }", "fn a() { A { b, #[cfg(test)] x: y, } }"),
    ] {
        assert_eq!(copy.appended(PART, with_tests).unwrap(), copy.appended(PART, bare).unwrap(), "{with_tests}");
    }
    fs::write(copy.0.join("crates/sim/src/orphan.rs"), "no module is here").unwrap();
    assert_eq!(copy.identity(), before);
}

#[test]
fn code_changes_it() {
    let copy = Copy::small("code");
    let mut identities = vec![copy.identity()];
    for code in [
        "const MORE: u32 = 1;",
        "const MORE: u32 = 2;",
        "const MORE: &str = \"// A comment.\";",
        "const MORE: bool = true && false;",
        "const MORE: bool = true & &false;",
        "fn more() {}",
        "#[inline] fn more() {}",
        "#[cfg(not(test))] fn more() {}",
        "#[cfg(unix)] fn more() {}",
        "#[cfg(any(test, unix))] fn more() {}",
        "#[cfg(target(test))] fn more() {}",
        "#[cfg(feature = \"other\")] fn more() {}",
        "mod inner { fn more() {} }",
    ] {
        identities.push(copy.appended(PART, code).unwrap());
        identities.push(copy.appended(LIB, code).unwrap());
    }
    for name in ["units", "run", "cc"] {
        identities.push(copy.appended(&format!("crates/{name}/src/lib.rs"), "fn more() {}").unwrap());
    }
    assert_all_differ(&identities);
    fs::create_dir(copy.0.join("crates/sim/src/part")).unwrap();
    fs::rename(copy.0.join(PART), copy.0.join("crates/sim/src/part/mod.rs")).unwrap();
    assert_eq!(copy.identity(), identities[0], "a module may be in either file");
}

#[test]
fn what_tests_use_changes_nothing() {
    let copy = Copy::small("dev-dependencies");
    let before = copy.identity();
    for name in ["proptest", "unarray", "libc", "pyo3", "serde_json", "toml"] {
        assert_eq!(copy.locked(name), before, "{name}");
    }
    for (file, old, new) in [
        (SIM, "proptest = { workspace = true }\n", ""),
        (SIM, "[[bench]]\nname = \"packets\"", "[[bench]]\nname = \"other\"\n\n[[bench]]\nname = \"packets\""),
        ("Cargo.toml", "[workspace.dependencies]", "[workspace.dependencies]\nother = \"1\""),
    ] {
        assert_eq!(copy.replaced(file, old, new).unwrap(), before, "{new}");
    }
    copy.replace(SIM, TESTS_USE, &format!("{TESTS_USE}other = \"1\"\n"));
    lock_other(&copy);
    assert_eq!(copy.identity(), before);
    assert_ne!(copy.replaced(SIM, USES, &format!("{USES}other = \"1\"\n")).unwrap(), before);
}

/// The lock has a package more, which `sim` uses.
fn lock_other(copy: &Copy) {
    let of_sim = "name = \"sim\"\nversion = \"0.1.0\"\ndependencies = [\n";
    copy.replace("Cargo.lock", of_sim, &format!("{of_sim} \"other\",\n"));
    let other = "[[package]]\nname = \"other\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"1\"\n";
    copy.change("Cargo.lock", |lock| format!("{lock}\n{other}"));
}

#[test]
fn what_the_model_uses_changes_it() {
    let copy = Copy::small("dependencies");
    let mut identities = vec![copy.identity()];
    identities.extend(["serde", "serde_core", "thiserror", "rand_core", "rand_xoshiro"].map(|name| copy.locked(name)));
    for (file, old, new) in [
        ("Cargo.toml", "features = [\"derive\"]", "features = [\"derive\", \"rc\"]"),
        ("Cargo.toml", "edition = \"2024\"", "edition = \"2021\""),
        ("crates/units/Cargo.toml", "edition.workspace = true", "edition = \"2021\""),
        ("crates/run/Cargo.toml", "samples = []", "samples = []\ndefault = [\"samples\"]"),
        ("crates/cc/Cargo.toml", "rand_core = { workspace = true }", "rand_core = { version = \"0.9\" }"),
    ] {
        identities.push(copy.replaced(file, old, new).unwrap());
    }
    copy.change("Cargo.lock", |lock| {
        let (before, behind) = lock.split_once("name = \"serde\"\n").unwrap();
        format!("{before}name = \"serde\"\n{}", behind.replacen("checksum = \"", "checksum = \"0", 1))
    });
    identities.push(copy.identity());
    assert_all_differ(&identities);
}

#[test]
fn what_the_identity_cannot_see_is_an_error() {
    let copy = Copy::small("unseen");
    for (file, text, message) in [
        (LIB, "const MORE: &str = include_str!(\"more.txt\");", "does not see what `include_str!` brings in"),
        (LIB, "fn more() { assert!(env!(\"MORE\") == \"1\"); }", "does not see what `env!` brings in"),
        (LIB, "#[path = \"more.rs\"] mod more;", "does not look where `#[path]` says that a module is"),
        (PART, "mod more;", "more.rs: "),
        (PART, "fn more( {", "part.rs: "),
        (SIM, "[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"", "does not know what [target] decides"),
        (SIM, "[dependencies", "Cargo.toml: "),
    ] {
        let error = copy.appended(file, text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    copy.replace(SIM, USES, &format!("{USES}other = \"1\"\n"));
    assert_eq!(identity(&copy.0).unwrap_err().to_string(), "Cargo.lock has no other for sim");
    lock_other(&copy);
    let error = copy.replaced("Cargo.lock", "source = \"registry\"\n", "").unwrap_err();
    assert_eq!(error.to_string(), "the identity has no sources of the crate other, which the model uses");
}
