//! Products of whole numbers that may not fit.

/// `one * other`, at most `u64::MAX`: `saturating_mul`, without a product of 128 bits where 64 are sure to do. WebAssembly has no
/// instruction for one, and calls a function of its library.
#[inline]
pub const fn saturating_product(one: u64, other: u64) -> u64 {
    if cfg!(target_arch = "wasm32") && is_sure_to_fit(one, other) {
        one.wrapping_mul(other)
    } else {
        one.saturating_mul(other)
    }
}

/// Of numbers below 2^m and 2^n the product is below 2^(m + n).
const fn is_sure_to_fit(one: u64, other: u64) -> bool {
    one.leading_zeros() + other.leading_zeros() >= u64::BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sure_to_fit_does() {
        let ends = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]).chain([u64::MAX]);
        let pairs: Vec<_> = ends.clone().flat_map(|one| ends.clone().map(move |other| (one, other))).collect();
        assert!(pairs.iter().all(|&(one, other)| !is_sure_to_fit(one, other) || one.checked_mul(other).is_some()));
        assert!(is_sure_to_fit(u64::from(u32::MAX), u64::from(u32::MAX)));
        assert!(!is_sure_to_fit(1 << 32, 1 << 32));
    }

    #[test]
    fn what_does_not_fit_is_the_largest_number() {
        assert_eq!([saturating_product(1 << 40, 1 << 24), saturating_product(1 << 40, 1 << 23)], [u64::MAX, 1 << 63]);
    }
}
