//! Memory asked for ahead of time.
//!
//! With thousands of flows each packet belongs to another one, whose state has left the caches: waiting for it is
//! what a packet costs. The queues say whose turn comes next, so the state can be on its way meanwhile.

/// Bytes that travel between memory and caches at once.
const LINE_BYTES: usize = 64;

/// Asks for all of `value`. A hint: it changes nothing but time.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<i8>();
    let mut offset = 0;
    while offset < size_of_val(value) {
        prefetch_line(start.wrapping_add(offset));
        offset += LINE_BYTES;
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(unsafe_code, reason = "the instruction reads nothing, cannot fault, and has no safe wrapper in std")]
fn prefetch_line(address: *const i8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE is part of x86-64; a prefetch of any address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch_line(_address: *const i8) {}
