//! Concatenates columns: threads copy the values of each part to their place.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;

use crate::memory::room_for;
use crate::threads;

/// The smallest number of bytes that are worth a thread.
const BYTES_PER_THREAD: usize = 1 << 20;

/// The copies that make up columns; each frees its source.
#[derive(Default)]
pub(crate) struct Copies<'a> {
    copies: Vec<Box<dyn FnOnce() + Send + 'a>>,
    bytes: usize,
}

impl<'a> Copies<'a> {
    /// Adds the copies of all parts to a column, which gets their length.
    pub(crate) fn add<T: Copy + Default + Send>(&mut self, column: &'a mut Vec<T>, parts: Vec<Vec<T>>) -> PyResult<()> {
        let length = parts.iter().map(Vec::len).sum();
        room_for::<T>(length)?;
        // Zeros are memory that no thread has written yet.
        *column = vec![T::default(); length];
        self.bytes += size_of_val(column.as_slice());
        let mut rest = column.as_mut_slice();
        for part in parts {
            let (to, more) = rest.split_at_mut(part.len());
            self.copies.push(Box::new(move || to.copy_from_slice(&part)));
            rest = more;
        }
        Ok(())
    }

    /// Runs the copies on at most `threads` threads.
    pub(crate) fn run(self, py: Python<'_>, threads: usize) -> PyResult<()> {
        let Self { copies, bytes } = self;
        let threads = threads.min(bytes / BYTES_PER_THREAD);
        if threads < 2 {
            py.detach(|| copies.into_iter().for_each(|copy| copy()));
            return Ok(());
        }
        let copies = Mutex::new(copies.into_iter());
        let next = || copies.lock().ok().and_then(|mut copies| copies.next());
        let work = |(), _: &AtomicBool| std::iter::from_fn(next).for_each(|copy| copy());
        threads::run(py, vec![(); threads], work, threads::no_progress).map(drop)
    }
}
