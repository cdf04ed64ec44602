//! The working memory of workers, kept between calls: what they have met before makes the next call faster.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use piecework_core::pipeline::Scratch;

use crate::threads;

/// As much working memory as workers were ever busy at once, up to one for each core.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "it is large, and each call moves one out and in")]
pub(crate) struct Workers {
    idle: Mutex<Vec<Box<Scratch>>>,
}

impl Workers {
    /// Working memory for a call.
    ///
    /// It waits for nobody: where another thread holds the lock, or held it when the process was forked, it is made anew.
    pub(crate) fn hire(&self) -> Hired<'_> {
        let idle = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        Hired { workers: self, scratch: Some(idle.unwrap_or_default()) }
    }
}

/// Working memory on loan.
pub(crate) struct Hired<'a> {
    workers: &'a Workers,
    /// There until it is given back.
    scratch: Option<Box<Scratch>>,
}

impl Deref for Hired<'_> {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        self.scratch.as_ref().expect("not given back yet")
    }
}

impl DerefMut for Hired<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        self.scratch.as_mut().expect("not given back yet")
    }
}

impl Drop for Hired<'_> {
    fn drop(&mut self) {
        // A panic may have left it in disorder.
        if !std::thread::panicking()
            && let Ok(mut idle) = self.workers.idle.try_lock()
            && idle.len() < threads::cores()
        {
            idle.extend(self.scratch.take().map(|mut scratch| {
                scratch.trim();
                scratch
            }));
        }
    }
}
