//! How many threads work at once. Results have the same bits whatever the number.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The limit that [`limit`] set; 0 for none.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// Limits all parallel work of the process to so many threads, at least 1. Call it once, before any work: threads that are
/// already running stay.
pub fn limit(threads: usize) {
    LIMIT.store(threads.max(1), Ordering::Relaxed);
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1));
        // A pool that already works keeps its size.
        let _ = pool.thread_name(|number| format!("ugoki-{number}")).build_global();
    }
}

/// Threads that may work at once: the limit, or as many as there are processors.
#[must_use]
pub fn count() -> usize {
    match LIMIT.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        limit => limit,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_limit_holds_and_is_at_least_one() {
        assert!(super::count() >= 1);
        super::limit(0);
        assert_eq!(super::count(), 1);
        super::limit(3);
        assert_eq!(super::count(), 3);
    }
}
