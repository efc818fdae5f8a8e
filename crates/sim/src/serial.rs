//! Numbers of which only the low 32 bits are kept, because they lie near another one: half the memory for what every
//! segment remembers. (TCP itself sends no more of them: RFC 1982's serial numbers.)

use units::low_bits;

/// The number with these low bits that is nearest to `near`.
#[inline]
pub const fn nearest(low: u32, near: u64) -> u64 {
    near.wrapping_add_signed(low.wrapping_sub(low_bits(near)).cast_signed() as i64)
}

/// The smallest number with these low bits that is not below `floor`.
#[inline]
pub const fn at_least(low: u32, floor: u64) -> u64 {
    floor + low.wrapping_sub(low_bits(floor)) as u64
}

/// The largest number with these low bits that is not above `ceiling`.
#[inline]
pub const fn at_most(low: u32, ceiling: u64) -> u64 {
    ceiling - low_bits(ceiling).wrapping_sub(low) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_are_completed_on_either_side_of_a_multiple_of_two_to_the_32() {
        let edge = 7_u64 << 32;
        for number in [edge - 1, edge, edge + 1] {
            let low = low_bits(number);
            assert!((edge - 9..edge + 9).all(|near| nearest(low, near) == number));
            assert_eq!((at_least(low, edge - 2), at_most(low, edge + 2)), (number, number));
        }
    }
}
