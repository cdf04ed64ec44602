//! Memory: large tables, huge pages for them, prefetching, and buffers that are kept. It has no effect on results.
//!
//! A failed allocation ends the process, but for those of [`Growable`], which end the call. Whatever grows with the input uses
//! them.
//!
//! A look-up in a table of several megabytes misses the CPU's cache of address translations nearly always, if the table is
//! mapped in pages of 4 KB; with pages of 2 MB it does not.

use std::cell::Cell;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hash};

use hashbrown::{HashMap, HashTable};

use crate::stop::{self, Stop};

/// A collection whose lack of memory ends the call, and not the process.
pub trait Growable {
    /// Reserves memory for more values; ends the call if there is none.
    fn make_room(&mut self, additional: usize);
}

impl<T> Growable for Vec<T> {
    #[inline]
    fn make_room(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            made(|| self.try_reserve(additional).is_ok());
        }
    }
}

impl Growable for String {
    #[inline]
    fn make_room(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            made(|| self.try_reserve(additional).is_ok());
        }
    }
}

impl<T: Ord> Growable for BinaryHeap<T> {
    #[inline]
    fn make_room(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            made(|| self.try_reserve(additional).is_ok());
        }
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Growable for HashMap<K, V, S> {
    #[inline]
    fn make_room(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            made(|| self.try_reserve(additional).is_ok());
        }
    }
}

/// Appends copies of a value up to a length; ends the call if there is no memory for them.
pub(crate) fn lengthen<T: Clone>(values: &mut Vec<T>, length: usize, value: T) {
    if let Some(missing) = length.checked_sub(values.len()) {
        values.make_room(missing);
        values.resize(length, value);
    }
}

/// The length of vectors that are small in any case.
const SHORT: usize = 1 << 10;

/// Returns an empty vector with memory for this number of values; ends the call if there is none.
///
/// ```
/// use piecework_core::memory::with_room;
/// use piecework_core::stop::{Stop, unless_stopped};
///
/// let huge = unless_stopped(|| false, || with_room::<u64>(1 << 60).len());
/// assert_eq!(huge, Err(Stop::OutOfMemory));
/// ```
#[must_use]
#[inline]
pub fn with_room<T>(length: usize) -> Vec<T> {
    if length <= SHORT {
        return Vec::with_capacity(length);
    }
    let mut values = Vec::new();
    values.make_room(length);
    values
}

/// Reserves memory for more values of a hash table; ends the call if there is none.
pub(crate) fn make_table_room<T>(table: &mut HashTable<T>, additional: usize, hash: impl Fn(&T) -> u64) {
    if table.capacity() - table.len() < additional {
        made(|| table.try_reserve(additional, hash).is_ok());
    }
}

thread_local! {
    /// Whether this thread allocates memory whose lack ends the call.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread allocates memory whose lack ends the call, so that an allocator need not spend what it keeps.
#[must_use]
pub fn asks() -> bool {
    ASKS.get()
}

/// Returns the result of an attempt to reserve memory, whose failure does not end the process.
#[cold]
pub fn asking(reserve: impl FnOnce() -> bool) -> bool {
    ASKS.set(true);
    let is_reserved = reserve();
    ASKS.set(false);
    is_reserved
}

/// Ends the call unless memory was reserved.
fn made(reserve: impl FnOnce() -> bool) {
    if !asking(reserve) {
        stop::end(Stop::OutOfMemory);
    }
}

/// Returns a size in bytes as text, rounded up to megabytes.
pub(crate) fn in_megabytes(bytes: usize) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// The largest capacity of a buffer, in elements, that is kept after a text.
pub(crate) const MAX_KEPT_CAPACITY: usize = 1 << 20;

/// Returns a vector of `length` values, in huge pages if the system has them.
pub(crate) fn filled<T: Copy>(value: T, length: usize) -> Vec<T> {
    let mut values = reserved(length);
    values.resize(length, value);
    values
}

/// Returns a copy of a table, in huge pages if the system has them.
pub(crate) fn copied<T: Copy>(table: &[T]) -> Vec<T> {
    let mut values = reserved(table.len());
    values.extend_from_slice(table);
    values
}

/// Returns an empty vector with memory for this number of values, in huge pages if the system has them.
pub(crate) fn reserved<T>(length: usize) -> Vec<T> {
    let mut values = with_room(length);
    advise(values.spare_capacity_mut());
    values
}

/// The size of a huge page; smaller tables do not ask for them.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

/// Asks for huge pages for the memory of a table, as far as it consists of whole ones.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "advice on memory is a call of the system")]
fn advise<T>(memory: &mut [std::mem::MaybeUninit<T>]) {
    let range = memory.as_mut_ptr_range();
    let (first, end) = (range.start.addr().next_multiple_of(HUGE), range.end.addr() / HUGE * HUGE);
    if first < end {
        let start = range.start.cast::<libc::c_void>().with_addr(first);
        // SAFETY: the range is part of memory that is borrowed mutably. The advice does not change its contents, and
        // whether it is taken has no effect on results.
        let _ = unsafe { libc::madvise(start, end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing: only Linux takes this advice.
#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut [std::mem::MaybeUninit<T>]) {}

/// Prefetches the first 64 bytes of a value.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_at(std::slice::from_ref(value), 0);
}

/// Prefetches the first 64 bytes of the value with this index; without effect if there is none.
#[inline(always)]
#[allow(unsafe_code, reason = "a hint to the CPU is an intrinsic")]
pub(crate) fn prefetch_at<T>(values: &[T], index: usize) {
    // SAFETY: the address, which may be outside the values, is not read from, and a hint never faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
