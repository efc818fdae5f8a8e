//! Quantities: text with a unit in, whole numbers of base units out. The one parser of TOML, Python, the page and the
//! command line.
//!
//! Units that tools disagree about are refused. Arithmetic is exact; what is finer than the base unit rounds half to even.

mod kinds;
mod misread;

pub use kinds::{BYTES, DURATION, FREQUENCY, JITTER, MEMORY, MOMENT, RATE, SHARE, SIZE, TIME};

use crate::number::{decimal, exact, float, half_even, ratio, saturated};
use crate::problem::{Refusal, quoted, suggestion};
use crate::wish;
use crate::word::Word;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Every kind.
pub static KINDS: [&Kind; 10] = [&RATE, &TIME, &FREQUENCY, &SHARE, &BYTES, &SIZE, &MOMENT, &DURATION, &MEMORY, &JITTER];

/// A number of as many without a unit is likely in base units.
const MANY: i64 = 1_000_000;
/// A number without a unit that a hint can say with one.
const LARGEST: f64 = 1e15;
const LONGEST: usize = 80;

/// The least and the most, as texts of a kind.
pub type Bounds = (&'static str, &'static str);

/// A kind of quantity: its units, and how people write it.
#[derive(Debug)]
pub struct Kind {
    /// Name of its class in Python.
    pub name: &'static str,
    /// What a message calls it.
    pub noun: &'static str,
    /// The unit of nothing.
    pub zero: &'static str,
    /// The units that one means without saying so, each with a number as an example.
    pub usual: &'static [(&'static str, &'static str)],
    /// Base units in each unit.
    pub units: &'static [(&'static str, u64)],
    /// Words that may stand in place of a number with a unit.
    pub keywords: &'static [&'static str],
    /// The least and the most of what is no keyword.
    pub bounds: Option<Bounds>,
    /// What is said behind the bounds.
    pub remark: &'static str,
    /// Words that people write in place of a number, and what to write.
    pub refused: (&'static [&'static str], &'static str),
    /// Which spellings of a unit are forgiven.
    pub spelling: Spelling,
    /// What is said of units that this kind refuses for a reason.
    pub misread: fn(&Misread<'_>) -> Option<Refusal>,
}

/// Which spellings of a unit are forgiven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// None.
    Exact,
    /// Any case, and without `/s`.
    Rate,
    /// Packets and bdp in any case, one packet or many.
    Packets,
}

/// A text whose unit is not one of its kind's.
#[derive(Clone, Copy, Debug)]
pub struct Misread<'a> {
    /// Its kind.
    pub kind: &'static Kind,
    /// All of it.
    pub text: &'a str,
    /// Its number.
    pub number: &'a str,
    /// Its unit.
    pub unit: &'a str,
}

/// A text with a number and a unit, kept as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// As written.
    pub text: String,
    /// The number as written; of a keyword 0.
    pub number: BigRational,
    /// The unit, as its kind spells it; of a keyword the keyword.
    pub unit: &'static str,
    /// In base units.
    pub value: BigInt,
}

impl Quantity {
    /// In base units; of what no bound lets through, the nearest that there is room for.
    pub fn base(&self) -> i128 {
        saturated(&self.value)
    }

    /// The number as written, as a float.
    pub fn written(&self) -> f64 {
        number_and_unit(&self.text).map_or(0.0, |(number, _)| number)
    }

    /// In base units, of a quantity whose bounds leave it so much room.
    pub fn count(&self) -> u64 {
        u64::try_from(self.base()).unwrap_or(if self.base() < 0 { 0 } else { u64::MAX })
    }
}

impl Kind {
    /// Reads a text.
    ///
    /// # Errors
    /// Unless it is such a quantity.
    pub fn read(&'static self, text: &str) -> Result<Quantity, Refusal> {
        self.read_text(text, None)
    }

    fn read_text(&'static self, text: &str, bounds: Option<Bounds>) -> Result<Quantity, Refusal> {
        if let Some(keyword) = self.keywords.iter().find(|keyword| **keyword == text) {
            return Ok(Quantity { text: text.to_owned(), number: Zero::zero(), unit: keyword, value: Zero::zero() });
        }
        let trimmed = text.trim();
        let Some((negative, number, unit)) = (text.chars().count() <= LONGEST).then(|| split(trimmed)).flatten() else {
            let what = if is_not_finite(trimmed) { "a finite number" } else { self.noun };
            let instead = self.instead(trimmed).unwrap_or_else(|| self.advice("", bounds));
            return Err(Refusal::new(format!("{} is not {what}", quoted(text)), instead));
        };
        if unit.is_empty() {
            return Err(Refusal::new(format!("{} has no unit", quoted(text)), self.advice(number, bounds)));
        }
        let Some((unit, scale)) = self.spelt(unit) else {
            return Err(self.unknown_unit(text, number, unit));
        };
        let exact = exact(number);
        if negative && !exact.is_zero() {
            return Err(Refusal::new(format!("{} is negative", quoted(text)), format!("write \"{number} {unit}\"")));
        }
        let value = half_even(&(&exact * BigInt::from(scale)));
        if value.is_zero() && !exact.is_zero() {
            let hint = format!("use at least {}", self.show(&BigInt::one()));
            return Err(Refusal::new(format!("{} is too small: it rounds to 0", quoted(text)), hint));
        }
        self.checked(Quantity { text: text.to_owned(), number: exact, unit, value })
    }

    /// Reads a value that may be no text. What is said to write instead lies within the bounds of its place, too.
    ///
    /// # Errors
    /// Unless it is such a quantity.
    pub fn read_word(&'static self, word: &Word, bounds: Option<Bounds>) -> Result<Quantity, Refusal> {
        let own = |small: bool, digits: String| self.advice(if small { &digits } else { "" }, bounds);
        match word {
            Word::Text(text) => self.read_text(text, bounds),
            Word::Integer(number) => {
                let size = number.unsigned_abs();
                let advice = own(size < LARGEST as u128, size.to_string());
                Err(Refusal::new(format!("{} has no unit", word.quoted()), advice))
            }
            Word::Number(number) => {
                let what = if number.is_finite() { "has no unit" } else { "is not a finite number" };
                let advice = own(number.abs() < LARGEST, float(number.abs()));
                Err(Refusal::new(format!("{} {what}", word.quoted()), advice))
            }
            _ => Err(Refusal::new(format!("{} is not {}", word.quoted(), self.noun), self.advice("", bounds))),
        }
    }

    /// A value in base units as text that reads back as the same value.
    pub fn show(&self, value: &BigInt) -> String {
        if value.is_zero() {
            return format!("0 {}", self.zero);
        }
        let is_decimal = |scale: u64| scale.to_string().trim_start_matches('1').bytes().all(|digit| digit == b'0');
        let smaller = |(_, scale): &&(&str, u64)| is_decimal(*scale) && BigInt::from(*scale) <= *value;
        let largest = self.units.iter().rev().filter(smaller).max_by_key(|(_, scale)| *scale);
        let (unit, scale) =
            largest.or_else(|| self.units.iter().find(|(unit, _)| *unit == self.zero)).unwrap_or(&("", 1));
        format!("{} {unit}", decimal(&ratio(value.clone(), *scale)))
    }

    /// What to write: the user's own number with a unit, or an example where there is none that can be read.
    pub fn advice(&'static self, number: &str, bounds: Option<Bounds>) -> String {
        let fits = |text: &String| {
            self.read(text).is_ok_and(|quantity| bounds.is_none_or(|bounds| within(quantity, self, bounds, "").is_ok()))
        };
        let readable = |units: &[&str]| -> Vec<String> {
            units.iter().map(|unit| format!("{number} {unit}")).filter(fits).collect()
        };
        let mut own = Vec::new();
        if !number.is_empty() {
            if exact(number) < ratio(MANY, 1) {
                own = readable(&self.usual.iter().map(|(unit, _)| *unit).collect::<Vec<_>>());
            }
            if own.is_empty() {
                own = readable(self.units.iter().min_by_key(|(_, scale)| *scale).map(|(unit, _)| *unit).as_slice());
            }
        }
        let start = if own.is_empty() { "write it as" } else { "write it with a unit, as" };
        if own.is_empty() {
            own = self.usual.iter().map(|(unit, each)| format!("{each} {unit}")).filter(fits).collect();
            own.extend(bounds.filter(|_| own.is_empty()).map(|(_, most)| most.to_owned()));
        }
        let mut all: Vec<String> =
            own.iter().map(String::as_str).chain(self.keywords.iter().copied()).map(quoted).collect();
        let last = all.pop().unwrap_or_default();
        if all.is_empty() { format!("{start} {last}") } else { format!("{start} {} or {last}", all.join(", ")) }
    }

    /// The bounds in words, with what else there is to say.
    pub fn describe_bounds(&self) -> Option<String> {
        let (least, most) = self.bounds?;
        Some(format!("from {least} to {most}{}", self.remark))
    }

    fn checked(&self, quantity: Quantity) -> Result<Quantity, Refusal> {
        let Quantity { text, number, unit, value } = &quantity;
        if *unit == "packets" && !number.is_integer() {
            let hint = format!("write \"{} packets\"", half_even(number));
            return Err(Refusal::new(format!("{}: packets are whole", quoted(text)), hint));
        }
        if self.keywords.contains(&"none") && value.is_zero() {
            return Err(Refusal::new(format!("{} is no noise", quoted(text)), "write \"none\""));
        }
        // What a packet of noise takes is for the path to say.
        match self.bounds.filter(|_| *unit != "packet") {
            Some(bounds) => within(quantity, self, bounds, self.remark),
            None => Ok(quantity),
        }
    }

    fn spelt(&self, unit: &str) -> Option<(&'static str, u64)> {
        let lower = unit.to_lowercase();
        let same = |known: &str| match self.spelling {
            Spelling::Exact => known == unit,
            Spelling::Rate => known.to_lowercase() == format!("{}/s", lower.strip_suffix("/s").unwrap_or(&lower)),
            Spelling::Packets => {
                known == unit
                    || (known == "bdp" && lower == "bdp")
                    || (known.starts_with("packet") && matches!(&*lower, "packet" | "packets"))
            }
        };
        self.units.iter().copied().find(|(known, _)| same(known))
    }

    fn unknown_unit(&'static self, text: &str, number: &str, unit: &str) -> Refusal {
        (self.misread)(&Misread { kind: self, text, number, unit }).unwrap_or_else(|| {
            let known: Vec<&str> = self.units.iter().map(|(unit, _)| *unit).collect();
            Refusal::new(format!("{}: unknown unit {}", quoted(text), quoted(unit)), suggestion(unit, &known))
        })
    }

    /// What to write in place of words; None of what is no known one.
    fn instead(&self, text: &str) -> Option<String> {
        let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        if self.refused.0.contains(&&*word.to_lowercase()) {
            return Some(self.refused.1.to_owned());
        }
        (wish::instead_of(&word).is_some() || wish::meaning_of(&word).is_some()).then(|| suggestion(&word, &[]))
    }
}

/// The same quantity, unless it is outside of bounds, which are texts of its kind.
///
/// # Errors
/// When it is, with the bounds and what else there is to say.
pub fn within(quantity: Quantity, kind: &Kind, (least, most): Bounds, remark: &str) -> Result<Quantity, Refusal> {
    let bound = |text: &str| {
        let (_, number, unit) = split(text).unwrap_or_default();
        let scale = kind.units.iter().find(|(known, _)| *known == unit).map_or(1, |(_, scale)| *scale);
        half_even(&(exact(number) * BigInt::from(scale)))
    };
    if bound(least) <= quantity.value && quantity.value <= bound(most) {
        return Ok(quantity);
    }
    Err(Refusal::new(format!("{} is out of range", quoted(&quantity.text)), format!("from {least} to {most}{remark}")))
}

/// The number at the beginning of any text, and the unit behind it as written; None of a text that is no quantity.
pub fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let (negative, number, unit) = (text.chars().count() <= LONGEST).then(|| split(text.trim())).flatten()?;
    let is_unit = unit.chars().next().is_none_or(char::is_alphabetic) || matches!(unit, "%" | "/s");
    let size: f64 = number.parse().ok()?;
    is_unit.then_some((if negative { -size } else { size }, unit))
}

/// The number by which quantities are put in order: in base units where the unit is known, else as written; None of a text
/// that is no quantity.
pub fn magnitude(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let kind = [&RATE, &MOMENT, &SIZE].into_iter().find(|kind| kind.spelt(unit).is_some());
    let known = kind.and_then(|kind| kind.read(text).ok());
    Some(known.map_or(number, |quantity| quantity.base() as f64))
}

/// Whether a minus is before it, the number, and the unit of a text.
fn split(text: &str) -> Option<(bool, &str, &str)> {
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let integer_digits = digits(0);
    let mut end = integer_digits;
    if rest[end..].starts_with('.') {
        let fraction = digits(end + 1);
        end += 1 + fraction;
        if integer_digits + fraction == 0 {
            return None;
        }
    } else if integer_digits == 0 {
        return None;
    }
    if rest[end..].starts_with(['e', 'E']) {
        let exponent = end + 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
        if digits(exponent) > 0 {
            end = exponent + digits(exponent);
        }
    }
    let unit = rest[end..].trim_start_matches(' ');
    (!unit.contains('\n')).then_some((text.starts_with('-'), &rest[..end], unit))
}

fn is_not_finite(text: &str) -> bool {
    let lower = text.strip_prefix(['+', '-']).unwrap_or(text).to_lowercase();
    let ends = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    ["nan", "infinity", "inf"].iter().any(|word| lower.strip_prefix(word).is_some_and(ends))
}

#[cfg(test)]
mod tests;
