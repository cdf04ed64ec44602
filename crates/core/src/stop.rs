//! Stopping a call that is running, such as when the user presses Ctrl-C, or when memory runs out.
//!
//! A call may take seconds in any of its stages, in loops that return no errors. So it does not end by an error: long loops
//! ask now and then whether to go on, and if not, the stack is unwound up to [`unless_stopped`], which returns why. What the
//! call was writing to is left as it was at that moment, and must be thrown away. The same happens where there is no memory
//! for a large table, see [`crate::memory`].
//!
//! The question is asked per thread. A thread that another one starts has none.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// Returns whether the call of this thread is to stop.
    static QUESTION: Cell<Option<fn() -> bool>> = const { Cell::new(None) };
}

/// The bytes, tokens or words of work after which the question is asked.
pub(crate) const WORK: usize = 1 << 16;

/// Why a call ended before its work was done; the payload of unwinding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The caller asked for it.
    Asked,
    /// There is no memory for what the call makes.
    OutOfMemory,
}

/// Returns the result of `work`, unless memory runs out or `is_stopped` returns true meanwhile; it is called often.
///
/// ```
/// use piecework_core::stop::unless_stopped;
///
/// assert_eq!(unless_stopped(|| false, || 1 + 1), Ok(2));
/// ```
pub fn unless_stopped<T>(is_stopped: fn() -> bool, work: impl FnOnce() -> T) -> Result<T, Stop> {
    struct Restore(Option<fn() -> bool>);
    impl Drop for Restore {
        fn drop(&mut self) {
            QUESTION.set(self.0);
        }
    }
    let _restore = Restore(QUESTION.replace(Some(is_stopped)));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Ok(done),
        Err(payload) => Err(*payload.downcast().unwrap_or_else(|panic| resume_unwind(panic))),
    }
}

/// Ends the call if it is to stop.
pub fn check() {
    if QUESTION.get().is_some_and(|is_stopped| is_stopped()) {
        end(Stop::Asked);
    }
}

/// Ends the call.
#[cold]
pub fn end(why: Stop) -> ! {
    // No panic: its hook is not called.
    resume_unwind(Box::new(why))
}

/// Ends the call if it is to stop, where a buffer grows from one length over the next multiple of a block.
#[inline]
pub(crate) fn check_growth(before: usize, after: usize) {
    if before / WORK != after / WORK {
        check();
    }
}

/// Ends the call if it is to stop, after this much work at once.
#[inline]
pub(crate) fn check_after(work: usize) {
    if work >= WORK {
        check();
    }
}

/// Iterates over the items of a list; between blocks of them, it ends the call if it is to stop.
#[inline]
pub(crate) fn blocks<T>(items: &[T]) -> impl Iterator<Item = &[T]> {
    items.chunks(WORK).enumerate().map(|(number, block)| {
        if number > 0 {
            check();
        }
        block
    })
}

/// The work since the question was asked.
#[derive(Debug, Default)]
pub struct Work(usize);

impl Work {
    /// Adds some bytes, tokens or words of work; ends the call if it is to stop.
    #[inline]
    pub fn add(&mut self, work: usize) {
        self.0 += work;
        if self.0 >= WORK {
            self.0 = 0;
            check();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_work_is_stopped() {
        let steps = Cell::new(0);
        let count = |size: usize| {
            let mut work = Work::default();
            (0..10).for_each(|_| {
                steps.set(steps.get() + 1);
                work.add(size);
            });
        };
        assert_eq!((unless_stopped(|| true, || count(WORK / 4)), steps.get()), (Err(Stop::Asked), 4));
        assert_eq!(unless_stopped(|| true, || count(1)), Ok(()));
        count(WORK);
        assert_eq!(steps.get(), 24, "outside of a call nothing asks");
    }

    #[test]
    fn panics_are_no_stops() {
        let panic = catch_unwind(|| unless_stopped(|| false, || resume_unwind(Box::new("a panic"))));
        assert!(panic.is_err_and(|panic: Box<dyn std::any::Any + Send>| panic.is::<&str>()));
    }
}
