//! What is measured, topic by topic.

mod bvh;
pub(crate) mod compose;
mod database;
mod dynamics;
mod edit;
mod machine;
mod network;
mod perform;
mod program;
mod react;
mod retarget;
mod segments;
mod signal;
mod smallest_three;

use std::hint::black_box;
use std::ops::ControlFlow;

use crate::clock::Bench;

/// Name and function.
type Topic = (&'static str, fn(&mut Bench));

/// Everything, one topic after the other.
pub(crate) fn all(bench: &mut Bench) {
    let topics: [Topic; 12] = [
        ("machine", machine::measure),
        ("bvh", bvh::measure),
        ("retarget", retarget::measure),
        ("signal", signal::measure),
        ("edit", edit::measure),
        ("database", database::measure),
        ("perform", perform::measure),
        ("network", network::measure),
        ("compose", compose::measure),
        ("dynamics", dynamics::measure),
        ("react", react::measure),
        ("program", program::measure),
    ];
    for (topic, measure) in topics {
        if bench.wants(topic) {
            measure(bench);
        }
    }
}

/// Keeps what was made, and ends the run if it was not: an error is fast.
fn sound<T, E: std::fmt::Debug>(made: Result<T, E>) {
    drop(black_box(made.expect("work that can be done")));
}

fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
