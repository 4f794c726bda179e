//! A global allocator that counts what each thread asks for, so that tests do not disturb each other.
//!
//! A test program that counts declares it once:
//!
//! ```
//! #[global_allocator]
//! static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
//!
//! assert_eq!(ugoki_testing::allocations(|| drop(Vec::<u8>::with_capacity(8))), 1);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
    /// Bytes in use; below zero where a thread gives back what another asked for.
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator with counts per thread.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged. Growing and zeroing go through `alloc` by default.
#[allow(unsafe_code, reason = "an allocator can only be written with unsafe")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        REQUESTED.with(|bytes| bytes.set(bytes.get() + layout.size()));
        let now = IN_USE.with(|bytes| {
            bytes.set(bytes.get() + layout.size().cast_signed());
            bytes.get()
        });
        PEAK.with(|peak| peak.set(peak.get().max(now)));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.with(|bytes| bytes.set(bytes.get() - layout.size().cast_signed()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How often this thread asks for memory during `work`.
pub fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// The result of `work` and the bytes that this thread asks for meanwhile, none counted as given back.
pub fn requested_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = REQUESTED.with(Cell::get);
    let result = work();
    (result, REQUESTED.with(Cell::get) - before)
}

/// Most bytes that this thread has in use at once during `work`, beyond what it had before.
pub fn peak_bytes(work: impl FnOnce()) -> usize {
    let before = IN_USE.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    work();
    PEAK.with(Cell::get).abs_diff(before)
}
