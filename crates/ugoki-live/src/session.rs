//! The loop of a live session: waits for a source, keeps time, and lets one closure do the rest.

use std::convert::Infallible;
use std::io::{self, BufRead, Read as _};
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver as Channel, RecvTimeoutError, sync_channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::encode_frame;
use ugoki_base::clip::Clip;

use crate::sockets::{Arrived, Receiver, Sender};

/// Lines that wait to be taken; the reader blocks beyond them.
const MAX_WAITING_LINES: usize = 64;
/// Longest line in bytes; a row of a thousand joints is shorter.
pub const MAX_LINE_BYTES: u64 = 1 << 20;

/// What a source has when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Poll<T> {
    /// An item and when it arrived.
    Item(T, Instant),
    /// Nothing arrived in time.
    Nothing,
    /// Nothing will arrive any more.
    End,
}

/// Where the items of a live session come from.
pub trait Source {
    /// A frame, a line, the number of a frame to send.
    type Item;

    /// Waits for the next item, at most for `patience`.
    fn poll(&mut self, patience: Duration) -> Poll<Self::Item>;
}

impl Source for &Receiver {
    type Item = Arrived;

    fn poll(&mut self, patience: Duration) -> Poll<Arrived> {
        match self.next(patience) {
            Some(arrived) => {
                let at = arrived.at;
                Poll::Item(arrived, at)
            }
            None => Poll::Nothing,
        }
    }
}

/// How a session waits and when it ends by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveConfig {
    /// Longest time between two ticks while nothing arrives.
    pub patience: Duration,
    /// The session ends when nothing arrived for longer than this after the first item, seconds; infinite for never.
    pub silence_s: f64,
}

impl Default for LiveConfig {
    fn default() -> Self {
        Self { patience: Duration::from_millis(100), silence_s: f64::INFINITY }
    }
}

/// What happens in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent<T> {
    /// Before every wait: the moment to stop, and for work that does not depend on items.
    Tick,
    /// An item, and seconds from the arrival of the first.
    Item(T, f64),
}

/// Runs a session until `handle` breaks or fails, the source ends, or it is silent for too long. Returns the number of
/// items.
///
/// # Errors
/// The first error of `handle`.
pub fn run_live<S: Source, E>(
    mut source: S,
    config: LiveConfig,
    handle: &mut dyn FnMut(LiveEvent<S::Item>) -> Result<ControlFlow<()>, E>,
) -> Result<usize, E> {
    let mut count = 0;
    // Arrival of the first item and of the last.
    let mut heard: Option<(Instant, Instant)> = None;
    while handle(LiveEvent::Tick)?.is_continue() {
        match source.poll(config.patience) {
            Poll::Item(item, at) => {
                let (first, _) = *heard.get_or_insert((at, at));
                heard = Some((first, at));
                count += 1;
                let seconds = at.saturating_duration_since(first).as_secs_f64();
                if handle(LiveEvent::Item(item, seconds))?.is_break() {
                    break;
                }
            }
            Poll::Nothing => {
                if heard.is_some_and(|(_, last)| last.elapsed().as_secs_f64() > config.silence_s) {
                    break;
                }
            }
            Poll::End => break,
        }
    }
    Ok(count)
}

/// Gives numbers from 0 at a fixed rate: the clock of playback.
#[derive(Debug, Clone)]
pub struct Pacer {
    start: Instant,
    fps: f64,
    number: usize,
    count: Option<usize>,
}

impl Pacer {
    /// Starts now; ends after `count` numbers, if given.
    #[must_use]
    pub fn new(fps: f64, count: Option<usize>) -> Self {
        Self { start: Instant::now(), fps, number: 0, count }
    }
}

impl Source for Pacer {
    /// The number, and when it is due after the start.
    type Item = (usize, Duration);

    fn poll(&mut self, patience: Duration) -> Poll<Self::Item> {
        if self.count.is_some_and(|count| self.number >= count) {
            return Poll::End;
        }
        let due = Duration::from_secs_f64(self.number as f64 / self.fps);
        let at = self.start + due;
        if let Some(left) = at.checked_duration_since(Instant::now()) {
            sleep(left.min(patience));
            if left > patience {
                return Poll::Nothing;
            }
        }
        self.number += 1;
        Poll::Item((self.number - 1, due), at)
    }
}

/// What playback sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// Frames.
    pub frames: usize,
    /// How long it took, seconds.
    pub seconds: f64,
}

/// Sends frames of a clip at its rate, once or until `tick` breaks.
///
/// # Errors
/// When the system refuses a packet.
pub fn send_clip(
    sender: &Sender,
    clip: &Clip,
    frames: Range<usize>,
    repeat: bool,
    tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> io::Result<Sent> {
    let endless = repeat && !frames.is_empty();
    let pacer = Pacer::new(clip.fps(), (!endless).then_some(frames.len()));
    let (start, config) =
        (pacer.start, LiveConfig { patience: Duration::from_millis(50), ..Default::default() });
    let frames = run_live(pacer, config, &mut |event| match event {
        LiveEvent::Tick => Ok(tick()),
        LiveEvent::Item((number, due), _) => {
            let pose = clip.pose(frames.start + number % frames.len());
            sender.send(&encode_frame(clip.skeleton(), &pose, due.as_secs_f32()))?;
            Ok::<_, io::Error>(ControlFlow::Continue(()))
        }
    })?;
    Ok(Sent { frames, seconds: start.elapsed().as_secs_f64() })
}

/// Lines of a text as they are written, read by a thread of their own.
#[derive(Debug)]
pub struct LineSource {
    lines: Channel<io::Result<Vec<u8>>>,
}

impl LineSource {
    /// Starts reading. The thread ends with its input, with an error, or at the first line after this is dropped.
    #[must_use]
    pub fn open(mut input: Box<dyn BufRead + Send>) -> Self {
        let (give, lines) = sync_channel(MAX_WAITING_LINES);
        std::thread::spawn(move || -> Option<Infallible> {
            loop {
                let mut line = Vec::new();
                match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                    Ok(0) => return None,
                    Ok(_) => give.send(Ok(line)).ok()?,
                    Err(error) => {
                        give.send(Err(error)).ok()?;
                        return None;
                    }
                }
            }
        });
        Self { lines }
    }
}

impl Source for LineSource {
    type Item = io::Result<Vec<u8>>;

    fn poll(&mut self, patience: Duration) -> Poll<Self::Item> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Poll::Item(line, Instant::now()),
            Err(RecvTimeoutError::Timeout) => Poll::Nothing,
            Err(RecvTimeoutError::Disconnected) => Poll::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Events = Result<ControlFlow<()>, Infallible>;

    #[test]
    fn playback_keeps_its_rate_and_stops_when_asked() {
        let start = Instant::now();
        let mut times = Vec::new();
        let handle = &mut |event: LiveEvent<(usize, Duration)>| -> Events {
            if let LiveEvent::Item((number, due), seconds) = event {
                assert_eq!(due.as_secs_f64(), seconds);
                assert!(start.elapsed() >= due);
                times.push((number, seconds));
            }
            Ok(ControlFlow::Continue(()))
        };
        assert_eq!(run_live(Pacer::new(200.0, Some(5)), LiveConfig::default(), handle), Ok(5));
        assert_eq!(times, [(0, 0.0), (1, 0.005), (2, 0.01), (3, 0.015), (4, 0.02)]);
        let mut ticks = 0;
        let handle = &mut |event: LiveEvent<(usize, Duration)>| -> Events {
            ticks += usize::from(event == LiveEvent::Tick);
            Ok(if ticks > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let config = LiveConfig { patience: Duration::from_millis(1), ..LiveConfig::default() };
        assert_eq!(run_live(Pacer::new(0.01, None), config, handle), Ok(1));
    }

    #[test]
    fn lines_arrive_until_their_end() {
        let mut lines = Vec::new();
        let handle = &mut |event: LiveEvent<io::Result<Vec<u8>>>| {
            if let LiveEvent::Item(line, _) = event {
                lines.push(line?);
            }
            Ok::<_, io::Error>(ControlFlow::Continue(()))
        };
        let source = LineSource::open(Box::new(io::Cursor::new("one\ntwo\nthree")));
        assert_eq!(run_live(source, LiveConfig::default(), handle).unwrap(), 3);
        assert_eq!(lines, [b"one\n".to_vec(), b"two\n".to_vec(), b"three".to_vec()]);
    }

    #[test]
    fn a_silent_source_ends_the_session_after_its_first_item() {
        struct Once(usize);
        impl Source for Once {
            type Item = ();
            fn poll(&mut self, _: Duration) -> Poll<()> {
                self.0 += 1;
                sleep(Duration::from_millis(5));
                if self.0 == 10 { Poll::Item((), Instant::now()) } else { Poll::Nothing }
            }
        }
        let config = LiveConfig { silence_s: 0.01, ..LiveConfig::default() };
        let mut ticks = 0;
        let handle = &mut |event: LiveEvent<()>| -> Events {
            ticks += usize::from(event == LiveEvent::Tick);
            Ok(ControlFlow::Continue(()))
        };
        assert_eq!(run_live(Once(0), config, handle), Ok(1));
        assert!(ticks > 10, "{ticks}");
    }
}
