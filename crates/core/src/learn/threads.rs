//! Work on several threads, which the caller provides.
//!
//! The core starts none: a training receives a function that runs its work on other threads while it does a part
//! itself. So the boundary owns every thread, and the calling thread checks for Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;

/// A function that runs its first argument on each other thread and its second on this one, and waits.
type ThreadRunner<'a> = &'a (dyn Fn(&(dyn Fn() + Sync), &mut dyn FnMut()) + Sync);

/// A progress callback, which receives the number of parts begun and may end the work.
pub(crate) type TaskProgress<'a> = &'a mut dyn FnMut(usize) -> Result<()>;

/// The threads that the caller provides for a training; the core starts none.
#[derive(Clone, Copy)]
pub struct Threads<'a>(ThreadRunner<'a>);

impl Threads<'static> {
    /// No other thread.
    pub const SINGLE: Self = Self(&|_, here| here());
}

impl<'a> Threads<'a> {
    /// Returns the threads of `runner`, which runs its first argument on each of them.
    ///
    /// It runs its second argument on the calling thread meanwhile, and waits for all.
    pub fn new(runner: ThreadRunner<'a>) -> Self {
        Self(runner)
    }

    /// Runs `work` once on each thread; its queue hands out the parts one by one. Reports progress on this thread.
    pub(crate) fn run_tasks(
        self,
        parts: usize,
        report: TaskProgress<'_>,
        work: &(dyn Fn(&mut TaskQueue<'_>) + Sync),
    ) -> Result<()> {
        let shared = SharedTasks { parts, begun: AtomicUsize::new(0), stop: AtomicBool::new(false) };
        let mut result = Ok(());
        (self.0)(&|| work(&mut TaskQueue { shared: &shared, report: None, work: 0 }), &mut || {
            work(&mut TaskQueue { shared: &shared, report: Some((&mut *report, &mut result)), work: 0 });
        });
        result
    }
}

/// The state that the threads of a work share.
struct SharedTasks {
    parts: usize,
    begun: AtomicUsize,
    stop: AtomicBool,
}

/// The tasks of a thread.
pub(crate) struct TaskQueue<'a> {
    shared: &'a SharedTasks,
    /// The callback and its result, on the thread that reports progress.
    report: Option<(TaskProgress<'a>, &'a mut Result<()>)>,
    /// The work since the last question whether to continue.
    work: usize,
}

/// The characters, suffixes or the like of work after which a part asks whether to continue.
const WORK: usize = 1 << 16;

impl TaskQueue<'_> {
    /// Returns the next part to do, if there is one.
    pub(crate) fn next_task(&mut self) -> Option<usize> {
        let is_open = self.should_continue();
        let part = self.shared.begun.fetch_add(1, Ordering::Relaxed);
        Some(part).filter(|&part| is_open && part < self.shared.parts)
    }

    /// Returns whether to continue after some work of a part that takes long; it asks now and then.
    pub(crate) fn continues_after(&mut self, work: usize) -> bool {
        self.work += work;
        if self.work < WORK {
            return true;
        }
        self.work = 0;
        self.should_continue()
    }

    /// Returns whether to continue, for parts that take long; if not, the results are discarded.
    pub(crate) fn should_continue(&mut self) -> bool {
        let SharedTasks { parts, begun, stop } = self.shared;
        if let Some((report, result)) = &mut self.report
            && result.is_ok()
        {
            **result = report(begun.load(Ordering::Relaxed).min(*parts));
            stop.store(result.is_err(), Ordering::Relaxed);
        }
        !stop.load(Ordering::Relaxed)
    }
}
