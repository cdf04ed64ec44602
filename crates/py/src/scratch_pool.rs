//! A pool of scratches that is kept between calls, so that the next call finds warm caches.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use piecework_core::pipeline::Scratch;

use crate::threads;

/// A pool of idle scratches: the largest number in use at once, at most one for each core.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "it is large, and each call moves one out and in")]
pub(crate) struct ScratchPool {
    idle: Mutex<Vec<Box<Scratch>>>,
}

impl ScratchPool {
    /// Takes a scratch from the pool.
    ///
    /// It never waits: if another thread holds the lock, or held it during a fork, the scratch is new.
    pub(crate) fn scratch(&self) -> PooledScratch<'_> {
        let idle = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        PooledScratch { pool: self, scratch: Some(idle.unwrap_or_default()) }
    }
}

/// A scratch of the pool, returned on drop.
pub(crate) struct PooledScratch<'a> {
    pool: &'a ScratchPool,
    /// The scratch until it is returned.
    scratch: Option<Box<Scratch>>,
}

impl Deref for PooledScratch<'_> {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        self.scratch.as_ref().expect("not given back yet")
    }
}

impl DerefMut for PooledScratch<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        self.scratch.as_mut().expect("not given back yet")
    }
}

impl Drop for PooledScratch<'_> {
    fn drop(&mut self) {
        // A panic may have left an invalid state.
        if !std::thread::panicking()
            && let Ok(mut idle) = self.pool.idle.try_lock()
            && idle.len() < threads::cores()
        {
            idle.extend(self.scratch.take().map(|mut scratch| {
                scratch.trim();
                scratch
            }));
        }
    }
}
