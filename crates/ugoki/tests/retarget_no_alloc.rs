//! Retargeting one pose takes the caller's buffers and never allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ugoki::pose::Pose;
use ugoki::retarget::{RetargetScratch, Stance, build_retarget, retarget_pose_into};
use ugoki::sample;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator with a count per thread.
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
fn retargeting_a_pose_does_not_allocate() {
    let (source, target) = (sample::skeleton(), sample::skeleton().scaled(1.1));
    let map =
        build_retarget(&Stance::from_rest(&source).unwrap(), &Stance::from_rest(&target).unwrap()).unwrap();
    let clip = sample::clip("walk").unwrap();
    let mut pose = clip.pose(0);
    pose.translations.push((9, source.joint(9).offset * 1.1));
    let (mut scratch, mut out) = (RetargetScratch::default(), Pose::rest(&target));
    retarget_pose_into(&map, &pose, &mut scratch, &mut out);
    assert_eq!(out.translations.len(), 1, "the map carries the moved joint");
    let before = ALLOCATIONS.with(Cell::get);
    for frame in 0..clip.num_frames() {
        for (joint, q) in pose.rotations.iter_mut().enumerate() {
            *q = clip.rotation(joint, frame);
        }
        retarget_pose_into(&map, &pose, &mut scratch, &mut out);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}
