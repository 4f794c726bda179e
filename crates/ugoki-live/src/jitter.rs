//! A short wait that turns uneven arrival into even playing.

use std::collections::VecDeque;

/// Holds items for `delay` seconds after the time they are for, in order of that time.
///
/// Senders' clocks and ours differ by an unknown amount; the least difference seen of late between arrival and the
/// item's own time is taken as the way without delay. It is forgotten slowly, since no two clocks run alike: a clock
/// that is slower than ours by one in ten thousand would use up a delay of 60 ms in ten minutes.
#[derive(Debug, Clone)]
pub struct JitterBuffer<T> {
    delay: f64,
    most: usize,
    items: VecDeque<(f64, T)>,
    offset: Option<f64>,
    played: Option<f64>,
    late: u64,
}

/// Fraction of a greater difference that is taken over with every item: at 60 per second nine tenths of it in four
/// seconds.
const FORGET: f64 = 0.01;

/// The same where an item came too late: the wait was too short.
const LATE: f64 = 0.2;

impl<T> JitterBuffer<T> {
    /// Waits `delay` seconds and holds at most `most` items; the oldest is handed out when there are more.
    #[must_use]
    pub fn new(delay: f64, most: usize) -> Self {
        Self { delay, most: most.max(1), items: VecDeque::new(), offset: None, played: None, late: 0 }
    }

    /// An item for the sender's time `time` that arrived at `now`, both seconds. What cannot wait is handed back at
    /// once: an item that is older than what was played, or the oldest where there is no room. Nothing is lost here;
    /// the caller decides what to do.
    pub fn push(&mut self, time: f64, now: f64, item: T) -> Option<T> {
        if !(time.is_finite() && now.is_finite()) {
            self.late += 1;
            return Some(item);
        }
        let offset = now - time;
        let late = self.played.is_some_and(|played| time < played);
        let fraction = if late { LATE } else { FORGET };
        let slowly = |known: f64| if offset < known { offset } else { known + fraction * (offset - known) };
        self.offset = Some(self.offset.map_or(offset, slowly));
        if late {
            self.late += 1;
            return Some(item);
        }
        let at = self.items.iter().rposition(|(other, _)| *other <= time).map_or(0, |before| before + 1);
        self.items.insert(at, (time, item));
        if self.items.len() <= self.most {
            return None;
        }
        self.late += 1;
        let (time, oldest) = self.items.pop_front()?;
        self.played = Some(time);
        Some(oldest)
    }

    /// The next item whose time has come at `now`.
    pub fn pop(&mut self, now: f64) -> Option<T> {
        let offset = self.offset?;
        let due = self.items.front().is_some_and(|(time, _)| time + offset + self.delay <= now);
        let (time, item) = due.then(|| self.items.pop_front())??;
        self.played = Some(time);
        Some(item)
    }

    /// Forgets everything: the sender restarted.
    pub fn clear(&mut self) {
        self.items.clear();
        self.offset = None;
        self.played = None;
    }

    /// Items that came too late or found no room.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::Random;

    #[test]
    fn what_arrives_in_disorder_within_the_delay_is_played_in_order_and_on_time() {
        let mut random = Random::new(2);
        let mut arrivals: Vec<(f64, f64)> = (0..300)
            .map(|i| {
                let time = f64::from(i) / 60.0;
                (time, 100.0 + time + random.range(0.0, 0.04))
            })
            .collect();
        arrivals.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut buffer = JitterBuffer::new(0.05, 32);
        let (mut played, mut next) = (Vec::new(), 0);
        let mut now = 100.0;
        while now < 106.0 {
            while next < arrivals.len() && arrivals[next].1 <= now {
                assert_eq!(buffer.push(arrivals[next].0, now, arrivals[next].0), None);
                next += 1;
            }
            while let Some(time) = buffer.pop(now) {
                played.push(time);
            }
            now += 0.002;
        }
        assert_eq!(played.len(), 300);
        assert!(played.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(buffer.late(), 0);
    }

    #[test]
    fn a_sender_whose_clock_is_slow_keeps_its_delay() {
        // A hundredth slower than ours for a minute, neighbours swapped: 0.6 s in all, ten times the delay.
        let mut buffer = JitterBuffer::new(0.06, 32);
        let mut played: Vec<f64> = Vec::new();
        for pair in 0..1800 {
            for frame in [2 * pair + 1, 2 * pair] {
                let time = f64::from(frame) / 60.0;
                let now = 1.01 * f64::from(2 * pair + 1) / 60.0;
                assert_eq!(buffer.push(time, now, time), None);
                while let Some(time) = buffer.pop(now) {
                    played.push(time);
                }
            }
        }
        assert_eq!(buffer.late(), 0);
        assert!(played.len() > 3580 && played.windows(2).all(|pair| pair[0] < pair[1]), "{}", played.len());
    }

    #[test]
    fn late_and_many_are_handed_back_and_counted() {
        let mut buffer = JitterBuffer::new(0.0, 2);
        assert_eq!(buffer.push(1.0, 1.0, 'a'), None);
        assert_eq!(buffer.pop(1.0), Some('a'));
        assert_eq!(buffer.push(0.5, 1.1, 'b'), Some('b'));
        assert_eq!((buffer.pop(9.0), buffer.late()), (None, 1));
        let back = [(2.0, 'c'), (3.0, 'd'), (4.0, 'e')].map(|(time, item)| buffer.push(time, time, item));
        assert_eq!(back, [None, None, Some('c')]);
        assert_eq!((buffer.pop(9.0), buffer.late()), (Some('d'), 2));
        assert_eq!((buffer.push(f64::NAN, 1.0, 'f'), buffer.late()), (Some('f'), 3));
    }

    /// 60 packets a second, each held up by up to 60 ms, on a clock of that pace: played, and handed back late.
    fn uneven(delay: f64, pace: f64) -> (Vec<f64>, Vec<f64>) {
        let mut random = Random::new(4);
        let mut arrivals: Vec<(f64, f64)> = (0..600)
            .map(|frame| f64::from(frame) / 60.0)
            .map(|time| (time, time / pace + random.range(0.0, 0.06)))
            .collect();
        arrivals.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut buffer = JitterBuffer::new(delay, 32);
        let (mut played, mut late) = (Vec::new(), Vec::new());
        for &(time, now) in &arrivals {
            late.extend(buffer.push(time, now, time));
            played.extend(std::iter::from_fn(|| buffer.pop(now)));
        }
        played.extend(std::iter::from_fn(|| buffer.pop(f64::INFINITY)));
        assert_eq!(late.len() as u64, buffer.late());
        (played, late)
    }

    #[test]
    fn nothing_is_lost_and_what_is_played_is_in_order() {
        for (delay, pace) in [(0.0, 1.0), (0.02, 1.0), (0.08, 1.0), (0.08, 0.95), (0.08, 1.05)] {
            let (played, late) = uneven(delay, pace);
            assert_eq!(played.len() + late.len(), 600);
            assert!(played.windows(2).all(|pair| pair[0] < pair[1]));
            // A wait longer than any packet's way keeps all in order, on a clock that is slow or quick as well.
            let most = if delay > 0.06 { 30 } else { 600 };
            assert!(late.len() <= most, "{} late with {delay} s at {pace}", late.len());
        }
    }
}
