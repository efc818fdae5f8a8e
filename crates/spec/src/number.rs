//! Exact numbers: from digits to a ratio and back to the digits that one writes.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

const LARGEST_EXPONENT: i64 = 60;
/// No decimal fraction of a text is longer.
const MOST_DIGITS: u32 = 160;
/// A hint can say in another unit what is smaller than this, and larger than its inverse.
const LARGEST: i64 = 1_000_000_000_000_000;

/// The number that digits with a point and an exponent write. One that is absurdly large or small becomes merely huge or
/// tiny, to be refused by a bound.
pub fn exact(digits: &str) -> BigRational {
    let lower = digits.to_lowercase();
    let (digits, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa: BigInt = format!("0{integer}{fraction}").parse().unwrap_or_default();
    let limit = if exponent.starts_with('-') { -LARGEST_EXPONENT } else { LARGEST_EXPONENT };
    let power = exponent.parse().unwrap_or(limit).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT) - fraction.len() as i64;
    let ten = BigInt::from(10).pow(power.unsigned_abs() as u32);
    if power < 0 { BigRational::new(mantissa, ten) } else { BigRational::from(mantissa * ten) }
}

/// A ratio of whole numbers.
pub fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The nearest whole number; of two as near, the even one.
pub fn half_even(exact: &BigRational) -> BigInt {
    let (floor, rest) = exact.numer().div_mod_floor(exact.denom());
    match (rest * 2_u8).cmp(exact.denom()) {
        Ordering::Less => floor,
        Ordering::Greater => floor + 1_u8,
        Ordering::Equal => &floor + (&floor % 2_u8),
    }
}

/// The nearest whole number to a fraction of non-negative numbers; of two as near, the even one.
pub fn rounded(numerator: u128, denominator: u128) -> u128 {
    let (floor, rest) = (numerator / denominator, numerator % denominator);
    match (rest * 2).cmp(&denominator) {
        Ordering::Less => floor,
        Ordering::Greater => floor + 1,
        Ordering::Equal => floor + floor % 2,
    }
}

/// A whole number, or the nearest that there is room for.
pub fn saturated(number: &BigInt) -> i128 {
    number.to_i128().unwrap_or(if number.is_negative() { i128::MIN } else { i128::MAX })
}

/// A decimal fraction without needless zeros.
pub fn decimal(number: &BigRational) -> String {
    let (mut scaled, mut places) = (number.clone(), 0);
    while !scaled.is_integer() && places < MOST_DIGITS {
        scaled *= BigInt::from(10);
        places += 1;
    }
    let all = format!("{:0>width$}", scaled.to_integer().to_string(), width = places as usize + 1);
    let (integer, fraction) = all.split_at(all.len() - places as usize);
    if fraction.is_empty() { integer.to_owned() } else { format!("{integer}.{fraction}") }
}

/// The number that digits write, times a factor; None of one that no hint can say.
pub fn times(digits: &str, factor: &BigRational) -> Option<BigRational> {
    let exact = exact(digits);
    let sayable = exact.is_zero() || (ratio(1, LARGEST) <= exact && exact < ratio(LARGEST, 1));
    sayable.then(|| exact * factor)
}

/// A float as people and TOML write it: with a point or an exponent.
pub fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    let size = number.abs();
    if size != 0.0 && size.is_finite() && !(1e-4..1e16).contains(&size) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    if number.is_finite() && number.fract() == 0.0 { format!("{number:.1}") } else { number.to_string() }
}

/// A whole number with commas between thousands.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        assert_eq!(exact("0.01"), ratio(1, 100));
        assert_eq!(exact("1e3"), ratio(1000, 1));
        assert_eq!(exact("1e-9999999999999999999999"), ratio(1, BigInt::from(10).pow(60)));
        assert_eq!(half_even(&ratio(5, 2)), BigInt::from(2));
        assert_eq!(half_even(&ratio(7, 2)), BigInt::from(4));
        assert_eq!((rounded(5, 2), rounded(7, 2), rounded(8, 3)), (2, 4, 3));
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(decimal(&exact("1.50")), "1.5");
        assert_eq!(decimal(&exact("0.000010")), "0.00001");
        assert_eq!(times("1.50", &ratio(8, 1)).map(|product| decimal(&product)), Some("12".to_owned()));
        assert_eq!(times("1e9999999", &ratio(8, 1)), None);
        assert_eq!(times("0e9999999", &ratio(8, 1)), Some(ratio(0, 1)));
        assert_eq!(
            ["80.5", "2", "1e16", "0.00001", "0.1"].map(|text| float(text.parse().unwrap())),
            ["80.5", "2.0", "1e+16", "1e-05", "0.1"]
        );
        assert_eq!((grouped(7), grouped(1_234_567)), ("7".to_owned(), "1,234,567".to_owned()));
    }
}
