//! Work that several threads share.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;

/// Runs the first function on other threads, as many as there are, while it runs the second, and waits for all.
type Beside<'a> = &'a (dyn Fn(&(dyn Fn() + Sync), &mut dyn FnMut()) + Sync);

/// Is told how many parts of a work are begun, and may end it.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(usize) -> Result<()>;

/// What a thread asks while it works.
pub(crate) trait Shift {
    /// The number of a part to do, while there is one.
    fn next(&mut self) -> Option<usize>;
    /// Whether to go on, for parts that take long; what is done is thrown away if not.
    fn goes_on(&mut self) -> bool;
}

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
    pub(crate) fn share(self, parts: usize, tell: Tell<'_>, work: &(dyn Fn(&mut dyn Shift) + Sync)) -> Result<()> {
        let shared = Shared { parts, begun: AtomicUsize::new(0), stop: AtomicBool::new(false) };
        let mut told = Ok(());
        (self.0)(&|| work(&mut &shared), &mut || {
            work(&mut Here { shared: &shared, tell: &mut *tell, told: &mut told });
        });
        told
    }
}

/// What the threads of a work share.
struct Shared {
    parts: usize,
    begun: AtomicUsize,
    stop: AtomicBool,
}

impl Shift for &Shared {
    fn next(&mut self) -> Option<usize> {
        let part = self.begun.fetch_add(1, Ordering::Relaxed);
        Some(part).filter(|&part| part < self.parts && self.goes_on())
    }

    fn goes_on(&mut self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

/// The thread that tells how far the work is.
struct Here<'a> {
    shared: &'a Shared,
    tell: Tell<'a>,
    told: &'a mut Result<()>,
}

impl Shift for Here<'_> {
    fn next(&mut self) -> Option<usize> {
        self.goes_on();
        (&mut &*self.shared).next()
    }

    fn goes_on(&mut self) -> bool {
        let Shared { parts, begun, stop } = self.shared;
        if self.told.is_ok() {
            *self.told = (self.tell)(begun.load(Ordering::Relaxed).min(*parts));
            stop.store(self.told.is_err(), Ordering::Relaxed);
        }
        self.told.is_ok()
    }
}
