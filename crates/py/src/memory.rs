//! Memory that is kept for the moment when there is no other.
//!
//! A failed allocation of Rust ends the process. So some memory is kept, which is never touched and costs nothing; when an
//! allocation fails, it is given back, and the calls that run end with a `MemoryError` as soon as they ask whether to go on.
//! Allocations of more than the half of it return errors themselves, see `piecework_core::memory`.
//!
//! A call can have a [`Limit`], at which those allocations fail as if there were no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use piecework_core::memory::{asking, asks};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyString;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

const RESERVE: Layout = Layout::new::<[u8; 128 << 20]>();

/// The memory that is kept; null if it was given back.
static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// Whether it was ever taken.
static WAS_TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether it was given back, and no call has ended since.
static IS_EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// The allocator of the system, with the reserve.
struct Reserving;

/// A limit of the memory that a call allocates, in all of its threads, and what it has allocated.
///
/// An allocation above the limit fails if its lack would end the call; others, which are small, are only counted.
#[derive(Debug)]
pub(crate) struct Limit {
    bytes: usize,
    used: AtomicUsize,
    /// The memory that the call wanted when it was refused, or 0.
    wanted: AtomicUsize,
}

/// The number of threads whose allocations are counted; there is no look at the limit of a thread if there is none.
static LIMITED_THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The limit of this thread, or null.
    static LIMIT: Cell<*const Limit> = const { Cell::new(null()) };
}

impl Limit {
    /// Returns a limit for a call that holds `used` bytes already.
    pub(crate) fn new(bytes: usize, used: usize) -> Self {
        Self { bytes, used: AtomicUsize::new(used), wanted: AtomicUsize::new(0) }
    }

    /// Runs work of a call, or of one of its threads, and counts what it allocates.
    pub(crate) fn count<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(*const Limit);
        impl Drop for Restore {
            fn drop(&mut self) {
                LIMIT.set(self.0);
                LIMITED_THREADS.fetch_sub(1, Ordering::Relaxed);
            }
        }
        LIMITED_THREADS.fetch_add(1, Ordering::Relaxed);
        let _restore = Restore(LIMIT.replace(self));
        work()
    }

    /// Returns the memory in bytes that the call wanted, if it was ever found above the limit.
    pub(crate) fn wanted(&self) -> Option<usize> {
        let used = self.used.load(Ordering::Relaxed);
        if used > self.bytes {
            self.wanted.fetch_max(used, Ordering::Relaxed);
        }
        Some(self.wanted.load(Ordering::Relaxed)).filter(|&wanted| wanted > 0)
    }

    /// Counts an allocation that replaces one of `before` bytes; returns false if it is refused.
    #[cold]
    fn allows(&self, before: usize, size: usize) -> bool {
        let wanted = (self.used.load(Ordering::Relaxed) + size).saturating_sub(before);
        if wanted > self.bytes && asks() {
            self.wanted.store(wanted, Ordering::Relaxed);
            return false;
        }
        self.used.fetch_add(size, Ordering::Relaxed);
        self.free(before);
        true
    }

    /// Counts memory as free; what was allocated before the limit may be freed within it.
    fn free(&self, size: usize) {
        let subtract = |used: usize| Some(used.saturating_sub(size));
        let _ = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract);
    }
}

/// Runs work, and counts what it allocates if there is a limit.
pub(crate) fn counted<T>(limit: Option<&Limit>, work: impl FnOnce() -> T) -> T {
    match limit {
        Some(limit) => limit.count(work),
        None => work(),
    }
}

/// Counts an allocation of this thread, if it has a limit; returns false if it is refused.
#[inline]
fn allows(before: usize, size: usize) -> bool {
    LIMITED_THREADS.load(Ordering::Relaxed) == 0 || with_limit(|limit| limit.allows(before, size)).unwrap_or(true)
}

/// Counts memory of this thread as free, if it has a limit.
#[inline]
fn freed(size: usize) {
    if LIMITED_THREADS.load(Ordering::Relaxed) > 0 {
        with_limit(|limit| limit.free(size));
    }
}

#[cold]
#[allow(unsafe_code, reason = "a limit outlives the work that it counts")]
fn with_limit<T>(then: impl FnOnce(&Limit) -> T) -> Option<T> {
    // SAFETY: `Limit::count` borrows the limit as long as the pointer is set.
    unsafe { LIMIT.get().as_ref() }.map(then)
}

/// Returns whether the running calls must end, since memory has run out.
pub(crate) fn is_exhausted() -> bool {
    IS_EXHAUSTED.load(Ordering::Relaxed)
}

/// Takes the reserve if it is not there; returns an error if it was, and there is no memory for it. Called when the module is
/// loaded, and when a call begins.
#[inline]
pub(crate) fn reserve() -> PyResult<()> {
    if RESERVED.load(Ordering::Relaxed).is_null() {
        take();
        // Where there was never memory for it, calls go on without.
        if RESERVED.load(Ordering::Relaxed).is_null() && WAS_TAKEN.load(Ordering::Relaxed) {
            return Err(memory_error());
        }
    }
    Ok(())
}

#[cold]
#[allow(unsafe_code, reason = "it belongs to the allocator")]
fn take() {
    // SAFETY: the layout has a size.
    let memory = unsafe { System.alloc(RESERVE) };
    let taken = RESERVED.compare_exchange(null_mut(), memory, Ordering::AcqRel, Ordering::Relaxed);
    if !memory.is_null() {
        WAS_TAKEN.store(true, Ordering::Relaxed);
        IS_EXHAUSTED.store(false, Ordering::Relaxed);
    }
    if taken.is_err() && !memory.is_null() {
        // SAFETY: it was allocated with this layout, and no other has it.
        unsafe { System.dealloc(memory, RESERVE) };
    }
}

/// Returns an error if there is no memory for this number of values, which will be allocated where a failure ends the process.
pub(crate) fn room_for<T>(length: usize) -> PyResult<()> {
    let is_there = asking(|| Vec::<T>::new().try_reserve_exact(length).is_ok());
    if is_there { Ok(()) } else { Err(out_of_memory()) }
}

/// The length in bytes from which on memory for a text is asked for.
const LONG: usize = 1 << 16;

/// Returns a text as a `str`.
pub(crate) fn string<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    if text.len() >= LONG {
        // A character takes up to four bytes.
        room_for::<u32>(text.len())?;
    }
    Ok(PyString::new(py, text))
}

/// Returns the exception for a call that needs more memory than there is; other calls go on.
pub(crate) fn out_of_memory() -> PyErr {
    IS_EXHAUSTED.store(false, Ordering::Relaxed);
    reserve().err().unwrap_or_else(memory_error)
}

fn memory_error() -> PyErr {
    PyMemoryError::new_err("there is no memory for the result, or for what it is made of")
}

/// Gives the reserve back; returns whether there was one.
#[cold]
#[allow(unsafe_code, reason = "it belongs to the allocator")]
fn give_back(size: usize) -> bool {
    if size > RESERVE.size() / 2 || asks() {
        return false;
    }
    let memory = RESERVED.swap(null_mut(), Ordering::AcqRel);
    if memory.is_null() {
        return false;
    }
    IS_EXHAUSTED.store(true, Ordering::Relaxed);
    // SAFETY: it was allocated with this layout, and the swap gave it to this thread alone.
    unsafe { System.dealloc(memory, RESERVE) };
    true
}

#[allow(unsafe_code, reason = "an allocator consists of unsafe functions")]
// SAFETY: all memory comes from the allocator of the system, and goes back to it.
unsafe impl GlobalAlloc for Reserving {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !allows(0, layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract.
        unsafe {
            let memory = System.alloc(layout);
            if memory.is_null() && give_back(layout.size()) { System.alloc(layout) } else { memory }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !allows(0, layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract.
        unsafe {
            let memory = System.alloc_zeroed(layout);
            if memory.is_null() && give_back(layout.size()) { System.alloc_zeroed(layout) } else { memory }
        }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !allows(layout.size(), size) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract; a failed call leaves the memory as it was.
        unsafe {
            let moved = System.realloc(memory, layout, size);
            if moved.is_null() && give_back(size) { System.realloc(memory, layout, size) } else { moved }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }
}
