//! Ctrl-C and progress bars: the command line's side of [`ugoki::Progress`].

use std::ops::ControlFlow;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

static STOPPED: AtomicBool = AtomicBool::new(false);
static ENDS: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, or the system's request to end, asks running work to stop; a second time ends the program.
pub(crate) fn watch() {
    // Without a handler Ctrl-C still ends the program, only less tidily.
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) || ENDS.load(Ordering::Relaxed) {
            exit(130);
        }
    });
}

/// Whether Ctrl-C ends the program at the first time, as while it waits for a reader of its output.
pub(crate) fn end_at_once(ends: bool) {
    ENDS.store(ends, Ordering::Relaxed);
}

/// Whether the user pressed Ctrl-C or the system asked the program to end.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// A progress bar on stderr, drawn only on a terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Starts a bar with a short label.
    pub(crate) fn start(label: &str) -> Self {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent:>3}% {eta}") {
            bar.set_style(style);
        }
        bar.set_message(label.to_owned());
        Self(bar)
    }

    /// What long work calls: moves the bar and passes Ctrl-C on. NaN hides the bar: a live session has no end to measure.
    pub(crate) fn step(&self, part: f32) -> ControlFlow<()> {
        match part.is_nan() {
            true => self.0.finish_and_clear(),
            false => self.0.set_position((part.clamp(0.0, 1.0) * 1000.0) as u64),
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
