//! Mixing built blends does not allocate.

mod signal_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use signal_support::{quiet, wandering_clip};
use ugoki::clip::Clip;
use ugoki::signal::{BlendConfig, BlendMethod, build_blend};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator with a count per thread, so that tests do not disturb each other.
struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
#[allow(unsafe_code, reason = "an allocator can only be written with unsafe")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn mixing_does_not_allocate() {
    // Five frames take the scalar way; sixty the eight-wide one, and some of its means the scalar one.
    for frames in [5, 60] {
        let clips: Vec<Clip> = (0..9).map(|k| wandering_clip(k, frames, 0.3)).collect();
        let list: Vec<&Clip> = clips.iter().collect();
        for method in [BlendMethod::Exact, BlendMethod::Qlerp] {
            for base in [BlendConfig::plain(&[0.2; 9]), BlendConfig::new(&[0.2; 9])] {
                let built = build_blend(&list, &BlendConfig { method, ..base }, &mut quiet).unwrap();
                let mut out = built.empty_clip();
                let before = ALLOCATIONS.with(Cell::get);
                built.mix_into(&mut out, &mut quiet).unwrap();
                let count = ALLOCATIONS.with(Cell::get) - before;
                assert_eq!(count, 0, "{frames} frames, {method:?}");
            }
        }
    }
    let counted = ALLOCATIONS.with(Cell::get);
    drop(std::hint::black_box(vec![1_u8; 100]));
    assert_eq!(ALLOCATIONS.with(Cell::get), counted + 1, "the counter counts");
}
