//! What may stand in braces in the words of a program; [`run::Places`] fills it in.

/// Each name, and what stands for it.
pub const NAMES: [(&str, &str); 4] = [
    ("receiver", "address of the flow's receiver"),
    ("sender", "address of the flow's sender"),
    ("port", "a port of the flow's own, free at both ends"),
    ("seconds", "from the flow's start to its stop, or to the run's end at the latest, rounded down to whole seconds"),
];

/// A brace without a partner.
#[derive(Debug, PartialEq, Eq)]
pub struct Unpaired;

/// The names that stand in braces, whether there are such or not; two braces are a brace itself.
///
/// # Errors
/// When a brace has no partner.
pub fn names(word: &str) -> Result<Vec<&str>, Unpaired> {
    let (mut names, mut rest) = (Vec::new(), word);
    while let Some(at) = rest.find(['{', '}']) {
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            rest = after;
            continue;
        }
        let (name, after) = rest.strip_prefix('{').and_then(|named| named.split_once('}')).ok_or(Unpaired)?;
        if name.contains('{') {
            return Err(Unpaired);
        }
        names.push(name);
        rest = after;
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_braces() {
        assert_eq!(names("{{a}}:{port}{receiver}"), Ok(vec!["port", "receiver"]));
        assert_eq!(names("-c"), Ok(vec![]));
        assert_eq!(names("{port"), Err(Unpaired));
        assert_eq!(names("port}"), Err(Unpaired));
        assert_eq!(names("{a{b}"), Err(Unpaired));
    }
}
