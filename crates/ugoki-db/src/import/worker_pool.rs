//! Many files at once, in order, in bounded memory.
//!
//! Workers take the next file when the bytes of all files in work stay under a bound; the calling thread gets the
//! results in the order of the files, whatever order they were finished in, so that ids and names do not depend on the
//! number of threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Bytes of files that may be in work at once. Reading a file takes five to eight times its size for a moment, so this
/// keeps an import below 300 MB; a single larger file is worked on alone.
const BYTES_IN_WORK: u64 = 24 << 20;
/// Files that may be begun before the first of them is taken by the caller, per worker.
const AHEAD: usize = 4;

struct State<T> {
    /// Next file to begin.
    next: usize,
    /// Files whose results the caller has taken.
    taken: usize,
    /// Bytes of files begun and not yet finished.
    in_work: u64,
    done: BTreeMap<usize, T>,
}

/// Runs `work` on every index in `sizes` in up to `threads` threads and `take` on the results, in order, in this
/// thread.
///
/// The flag asks `work` to stop. `take` cancels everything with `Break`.
pub(crate) fn in_order<T: Send>(
    sizes: &[u64],
    threads: usize,
    work: impl Fn(usize, &AtomicBool) -> T + Sync,
    mut take: impl FnMut(usize, T) -> ControlFlow<()>,
    mut idle: impl FnMut() -> ControlFlow<()>,
) {
    let stop = AtomicBool::new(false);
    let state = Mutex::new(State { next: 0, taken: 0, in_work: 0, done: BTreeMap::new() });
    let changed = Condvar::new();
    let threads = threads.clamp(1, sizes.len().max(1));
    thread::scope(|scope| {
        // Also when `take` panics: workers must not wait for a caller that is gone.
        let _guard = StopOnDrop { state: &state, stop: &stop, changed: &changed };
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(index) = begin(&state, &changed, &stop, sizes, AHEAD * threads) {
                    let result = work(index, &stop);
                    let mut state = lock(&state);
                    state.in_work -= sizes[index];
                    state.done.insert(index, result);
                    drop(state);
                    changed.notify_all();
                }
            });
        }
        for index in 0..sizes.len() {
            let result = loop {
                if idle().is_break() {
                    return;
                }
                let mut state = lock(&state);
                if let Some(result) = state.done.remove(&index) {
                    state.taken = index + 1;
                    break result;
                }
                // Looks up now and then, so that Ctrl-C is seen while a long file is worked on.
                let wait = changed.wait_timeout(state, std::time::Duration::from_millis(50));
                drop(wait.unwrap_or_else(PoisonError::into_inner));
            };
            changed.notify_all();
            if take(index, result).is_break() {
                return;
            }
        }
    });
}

fn begin<T>(
    state: &Mutex<State<T>>,
    changed: &Condvar,
    stop: &AtomicBool,
    sizes: &[u64],
    ahead: usize,
) -> Option<usize> {
    let mut state = lock(state);
    loop {
        if stop.load(Ordering::Relaxed) || state.next >= sizes.len() {
            return None;
        }
        let index = state.next;
        let fits = state.in_work == 0 || state.in_work + sizes[index] <= BYTES_IN_WORK;
        if fits && index < state.taken + ahead {
            state.next += 1;
            state.in_work += sizes[index];
            return Some(index);
        }
        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct StopOnDrop<'a, T> {
    state: &'a Mutex<State<T>>,
    stop: &'a AtomicBool,
    changed: &'a Condvar,
}

impl<T> Drop for StopOnDrop<'_, T> {
    fn drop(&mut self) {
        // Under the lock: a worker that has just looked at the flag must not miss the call.
        let _state = lock(self.state);
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let sizes: Vec<u64> = (0..200).map(|i| (i * 7919) % (30 << 20)).collect();
            let mut got = Vec::new();
            in_order(
                &sizes,
                threads,
                |index, _| {
                    if index % 3 == 0 {
                        thread::yield_now();
                    }
                    index * 2
                },
                |index, result| {
                    got.push((index, result));
                    ControlFlow::Continue(())
                },
                || ControlFlow::Continue(()),
            );
            assert_eq!(got, (0..200).map(|i| (i, i * 2)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn work_runs_only_a_little_ahead_of_what_is_taken() {
        let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        in_order(
            &[1; 100],
            3,
            |_, _| {
                let begun = begun.fetch_add(1, Ordering::SeqCst) + 1;
                assert!(begun <= taken.load(Ordering::SeqCst) + 3 * AHEAD + 1);
            },
            |_, ()| {
                thread::yield_now();
                taken.fetch_add(1, Ordering::SeqCst);
                ControlFlow::Continue(())
            },
            || ControlFlow::Continue(()),
        );
        assert_eq!(taken.load(Ordering::SeqCst), 100);
    }

    #[test]
    fn stopping_ends_all_threads() {
        let mut taken = 0;
        in_order(
            &[1; 1000],
            4,
            |index, _| index,
            |index, _| {
                taken += 1;
                if index == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
            || ControlFlow::Continue(()),
        );
        assert_eq!(taken, 11);
    }
}
