//! Threads that end with the call, and the calling thread, which handles Ctrl-C.

use std::cell::{Cell, RefCell};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use piecework_core::stop::{Stop, end, unless_stopped};
use pyo3::Borrowed;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

use crate::arguments::display_value;
use crate::errors::invalid_setting;
use crate::memory::{self, Limit};

/// The maximum number of threads; more only cost memory.
const MAX_THREADS: usize = 256;

/// The interval in which Python's signals are checked.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The number of bytes below which no thread is started and the GIL is kept.
pub(crate) const MIN_DETACHED_BYTES: usize = 1 << 16;
/// The minimum and maximum size in bytes of the work that a thread takes at a time.
const TASK_BYTES: (usize, usize) = (1 << 14, 1 << 18);
/// The number of tasks for each thread, so that all threads end at about the same time.
const TASKS_PER_THREAD: usize = 4;

/// Returns the size in bytes of the tasks that divide `bytes` bytes among threads.
pub(crate) fn task_bytes(bytes: usize, threads: usize) -> usize {
    (bytes / threads / TASKS_PER_THREAD).clamp(TASK_BYTES.0, TASK_BYTES.1)
}

/// Returns the number of threads that the machine runs at once; computed only once, as that is slow.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// The number of threads that a call requests (`threads=`).
#[derive(Clone, Copy)]
pub(crate) struct ThreadCount(usize);

impl FromPyObject<'_, '_> for ThreadCount {
    type Error = PyErr;

    fn extract(threads: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match threads.extract::<i64>() {
            Ok(requested) if requested > 0 => {
                Ok(Self(usize::try_from(requested).unwrap_or(MAX_THREADS).min(MAX_THREADS)))
            }
            _ => Err(invalid_setting("threads", "an integer from 1 to 2^63 - 1, or None", display_value(&threads))),
        }
    }
}

/// Returns the number of threads to use: the requested number, or one for each core.
pub(crate) fn number(requested: Option<ThreadCount>) -> usize {
    requested.map_or_else(cores, |requested| requested.0)
}

/// A timer for checks of Python's signals, which are slow.
pub(crate) struct SignalTimer {
    last: Instant,
}

impl SignalTimer {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// Returns whether the next check is due.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() >= SIGNAL_INTERVAL;
        if due {
            self.last = Instant::now();
        }
        due
    }
}

thread_local! {
    /// The time of the last check of Python's signals in a call of this thread, and the signal that it found.
    static LAST_CHECK: Cell<Option<Instant>> = const { Cell::new(None) };
    static FOUND: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// The flag that stops the work of this thread, if another one handles signals.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Returns the result of work in this thread, or the exception of a signal such as Ctrl-C, which stops it.
///
/// Work may contain other work, whose time counts as time of the outer one.
pub(crate) fn stoppable<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    memory::reserve()?;
    let outer = LAST_CHECK.take();
    let done = catch_unwind(AssertUnwindSafe(|| unless_stopped(finds_signal, work)));
    LAST_CHECK.set(outer);
    match done {
        Ok(done) => done.map_err(stopped),
        Err(panic) if panic.downcast_ref() == Some(&NO_OBJECT) => {
            Python::attach(|py| drop(PyErr::take(py)));
            Err(memory::out_of_memory())
        }
        Err(panic) => resume_unwind(panic),
    }
}

/// The panic of PyO3 where Python has no memory for an object.
const NO_OBJECT: &str = "PyObject pointer is null";

/// Returns the exception of a call that ended before its work was done.
fn stopped(why: Stop) -> PyErr {
    match FOUND.take() {
        Some(signal) if why == Stop::Asked => signal,
        _ => memory::out_of_memory(),
    }
}

/// Runs work without the GIL, until a signal such as Ctrl-C stops it.
pub(crate) fn detach<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| stoppable(work))
}

/// Returns whether Python has a signal to handle, which is asked only now and then, or memory has run out.
fn finds_signal() -> bool {
    if memory::is_exhausted() {
        return true;
    }
    let Some(last) = LAST_CHECK.get() else {
        LAST_CHECK.set(Some(Instant::now()));
        return false;
    };
    if last.elapsed() < SIGNAL_INTERVAL {
        return false;
    }
    let found = Python::attach(|py| py.check_signals().err());
    LAST_CHECK.set(Some(Instant::now()));
    let is_found = found.is_some();
    FOUND.set(found);
    is_found
}

/// Returns whether the thread that handles signals has stopped this one, or memory has run out.
fn is_stopped() -> bool {
    memory::is_exhausted() || STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

/// Runs `work` once for each state, each in its own thread, without the GIL; returns the results in order.
///
/// The calling thread handles Ctrl-C and calls `tick` repeatedly. If either fails, the flag passed to `work` is set,
/// which should check it often.
pub(crate) fn run<S: Send, T: Send>(
    py: Python<'_>,
    states: Vec<S>,
    work: impl Fn(S, &AtomicBool) -> T + Sync,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<Vec<T>> {
    if states.is_empty() {
        return Ok(Vec::new());
    }
    memory::reserve()?;
    let stop = Arc::new(AtomicBool::new(false));
    let busy = AtomicUsize::new(0);
    let mut signal = Ok(());
    let results = py.detach(|| {
        std::thread::scope(|scope| {
            let (work, stop, busy) = (&work, &stop, &busy);
            let caller = std::thread::current();
            // If the system provides fewer threads, these do all the work.
            let spawn = |state| {
                let guard = BusyGuard::new(busy, caller.clone());
                let work = move || {
                    let _guard = guard;
                    STOP.set(Some(Arc::clone(stop)));
                    unless_stopped(is_stopped, || work(state, stop))
                };
                std::thread::Builder::new().spawn_scoped(scope, work).ok()
            };
            let handles: Vec<_> = states.into_iter().map_while(spawn).collect();
            if handles.is_empty() {
                signal = Err(PyMemoryError::new_err("the system provides no thread to work in"));
            }
            while signal.is_ok() && !wait_until_idle(SIGNAL_INTERVAL, busy) {
                signal = Python::attach(|py| py.check_signals().and_then(|()| tick(py)));
            }
            stop.store(signal.is_err(), Ordering::Relaxed);
            handles.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Result<Vec<Result<T, Stop>>, _>>()
        })
    });
    signal?;
    let results = results.map_err(|_| PyRuntimeError::new_err("a thread of piecework panicked; please report it"))?;
    results.into_iter().collect::<Result<_, _>>().map_err(stopped)
}

/// Runs `work` once in another thread, without the GIL.
pub(crate) fn run_one<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let mut results = run(py, vec![work], |work, stop| work(stop), no_progress)?;
    Ok(results.remove(0))
}

/// Returns a function that runs work on up to `others` other threads while the calling thread runs `here`.
///
/// What they allocate counts for the limit. A lack of memory in one of them ends the call.
pub(crate) fn beside(others: usize, limit: Option<&Limit>) -> impl Fn(&(dyn Fn() + Sync), &mut dyn FnMut()) + Sync {
    move |work, here| {
        let other = || unless_stopped(memory::is_exhausted, || memory::counted(limit, work));
        let stops = std::thread::scope(|scope| {
            let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, other).ok();
            let handles: Vec<_> = (0..others).map_while(spawn).collect();
            here();
            let results = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
            results.filter_map(Result::err).collect::<Vec<_>>()
        });
        if let Some(&stop) = stops.first() {
            end(stop);
        }
    }
}

/// A `tick` for work that reports no progress.
pub(crate) fn no_progress(_: Python<'_>) -> PyResult<()> {
    Ok(())
}

/// Counts a thread as busy until it is dropped, and then wakes the caller, after a panic as well.
struct BusyGuard<'a> {
    busy: &'a AtomicUsize,
    caller: Thread,
}

impl<'a> BusyGuard<'a> {
    fn new(busy: &'a AtomicUsize, caller: Thread) -> Self {
        busy.fetch_add(1, Ordering::Relaxed);
        Self { busy, caller }
    }
}

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
        self.caller.unpark();
    }
}

/// Waits until no thread is busy and returns true, or returns false after `time`.
fn wait_until_idle(time: Duration, busy: &AtomicUsize) -> bool {
    let start = Instant::now();
    while busy.load(Ordering::Relaxed) > 0 {
        let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else { return false };
        std::thread::park_timeout(left);
    }
    true
}

/// A queue of task numbers: gives out each number below `limit` once.
pub(crate) struct TaskNumbers {
    next: AtomicUsize,
    limit: usize,
}

impl TaskNumbers {
    pub(crate) fn new(limit: usize) -> Self {
        Self { next: AtomicUsize::new(0), limit }
    }

    pub(crate) fn next(&self) -> Option<usize> {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        (ticket < self.limit).then_some(ticket)
    }
}
