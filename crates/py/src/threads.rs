//! Threads that live as long as one call, and the main one, which listens for Ctrl-C.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use piecework_core::Error;
use pyo3::Borrowed;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arguments::shown;
use crate::errors::to_py;

/// More threads than this only cost.
const MOST: usize = 256;

/// How often Python is asked whether someone wants to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many threads the machine runs at once; asking takes long enough to do it only once.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// The number of threads that a call asks for, as `threads=`.
#[derive(Clone, Copy)]
pub(crate) struct Asked(usize);

impl FromPyObject<'_, '_> for Asked {
    type Error = PyErr;

    fn extract(threads: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match threads.extract::<i64>() {
            Ok(asked) if asked > 0 => Ok(Self(usize::try_from(asked).unwrap_or(MOST).min(MOST))),
            _ => {
                let message =
                    format!("threads must be an integer from 1 to 2^63 - 1, or None, not {}", shown(&threads));
                Err(to_py(threads.py(), &Error::Config(message)))
            }
        }
    }
}

/// The number of threads to use: as asked, else one for each core.
pub(crate) fn number(asked: Option<Asked>) -> usize {
    asked.map_or_else(cores, |asked| asked.0)
}

/// Asks Python for signals, though not more often than is good for the work.
pub(crate) struct Watch {
    last: Instant,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// Whether it is time to look at Python again.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() >= PATIENCE;
        if due {
            self.last = Instant::now();
        }
        due
    }
}

/// Runs `work` once on each state in a thread of its own, without the GIL, and returns the results in order.
///
/// Meanwhile the calling thread listens for Ctrl-C and calls `tick` now and then. If either fails, the flag that
/// `work` is given is raised; it should look at it often.
pub(crate) fn run<S: Send, T: Send>(
    py: Python<'_>,
    states: Vec<S>,
    work: impl Fn(S, &AtomicBool) -> T + Sync,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<Vec<T>> {
    if states.is_empty() {
        return Ok(Vec::new());
    }
    let stop = AtomicBool::new(false);
    let busy = AtomicUsize::new(0);
    let mut signal = Ok(());
    let results = py.detach(|| {
        std::thread::scope(|scope| {
            let (work, stop, busy) = (&work, &stop, &busy);
            let caller = std::thread::current();
            // Where the system gives no more threads, those there are do the work.
            let spawn = |state| {
                let at_work = AtWork::new(busy, caller.clone());
                let work = move || {
                    let _at_work = at_work;
                    work(state, stop)
                };
                std::thread::Builder::new().spawn_scoped(scope, work).ok()
            };
            let handles: Vec<_> = states.into_iter().map_while(spawn).collect();
            if handles.is_empty() {
                signal = Err(PyRuntimeError::new_err("the system gives no thread to work in"));
            }
            while signal.is_ok() && !finish_within(PATIENCE, busy) {
                signal = Python::attach(|py| py.check_signals().and_then(|()| tick(py)));
            }
            stop.store(signal.is_err(), Ordering::Relaxed);
            handles.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Result<Vec<T>, _>>()
        })
    });
    signal?;
    results.map_err(|_| PyRuntimeError::new_err("a thread of piecework panicked; please report it"))
}

/// Runs `work` on other threads, as many as asked for and the system gives, while it runs `here`.
pub(crate) fn beside(others: usize, work: &(dyn Fn() + Sync), here: &mut dyn FnMut()) {
    std::thread::scope(|scope| {
        for _ in 0..others {
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        here();
    });
}

/// For work that tells nobody how far it is.
pub(crate) fn silent(_: Python<'_>) -> PyResult<()> {
    Ok(())
}

/// Counts among the busy while it lives, and wakes the caller when it ends, a panic included.
struct AtWork<'a> {
    busy: &'a AtomicUsize,
    caller: Thread,
}

impl<'a> AtWork<'a> {
    fn new(busy: &'a AtomicUsize, caller: Thread) -> Self {
        busy.fetch_add(1, Ordering::Relaxed);
        Self { busy, caller }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
        self.caller.unpark();
    }
}

/// Sleeps until nobody is busy, which is true, or the time is over.
fn finish_within(time: Duration, busy: &AtomicUsize) -> bool {
    let start = Instant::now();
    while busy.load(Ordering::Relaxed) > 0 {
        let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else { return false };
        std::thread::park_timeout(left);
    }
    true
}

/// Hands out the numbers below `limit`, each once.
pub(crate) struct Tickets {
    next: AtomicUsize,
    limit: usize,
}

impl Tickets {
    pub(crate) fn new(limit: usize) -> Self {
        Self { next: AtomicUsize::new(0), limit }
    }

    pub(crate) fn next(&self) -> Option<usize> {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        (ticket < self.limit).then_some(ticket)
    }
}
