//! Work that several threads share.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;

/// Runs the first function on other threads, as many as there are, while it runs the second, and waits for all.
type Beside<'a> = &'a (dyn Fn(&(dyn Fn() + Sync), &mut dyn FnMut()) + Sync);

/// Is told how many parts of a work are begun, and may end it.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(usize) -> Result<()>;

/// Gives the number of a part to do, while there is one.
type Next<'a> = &'a mut dyn FnMut() -> Option<usize>;

/// The threads that are lent to a training: this library makes none.
#[derive(Clone, Copy)]
pub struct Threads<'a>(Beside<'a>);

impl Threads<'static> {
    /// No other thread.
    pub const ALONE: Self = Self(&|_, here| here());
}

impl<'a> Threads<'a> {
    /// Those that `beside` has: it is to run its first argument on each of them while it runs the second, and to wait for all.
    pub fn new(beside: Beside<'a>) -> Self {
        Self(beside)
    }

    /// Runs `work` once on each thread; the numbers of the parts that it does are handed to it one by one.
    pub(crate) fn share(self, parts: usize, tell: Tell<'_>, work: &(dyn Fn(Next<'_>) + Sync)) -> Result<()> {
        let (begun, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let next = || {
            let part = begun.fetch_add(1, Ordering::Relaxed);
            (part < parts && !stop.load(Ordering::Relaxed)).then_some(part)
        };
        let mut told = Ok(());
        (self.0)(&|| work(&mut || next()), &mut || {
            work(&mut || {
                told = tell(begun.load(Ordering::Relaxed).min(parts));
                stop.store(told.is_err(), Ordering::Relaxed);
                next()
            });
        });
        told
    }
}
