//! A short wait that turns uneven arrival into even playing.

use std::collections::VecDeque;

/// Holds items for `delay` seconds after the time they are for, in order of that time.
///
/// Senders' clocks and ours differ by an unknown amount; the least difference seen of late between arrival and the item's
/// own time is taken as the way without delay. It is forgotten slowly, since no two clocks run alike: a clock that is slower
/// than ours by one in ten thousand would use up a delay of 60 ms in ten minutes.
#[derive(Debug, Clone)]
pub struct JitterBuffer<T> {
    delay: f64,
    most: usize,
    items: VecDeque<(f64, T)>,
    offset: Option<f64>,
    played: Option<f64>,
    dropped: u64,
}

/// Share of a greater difference that is taken over with every item: at 60 per second nine tenths of it in four seconds.
const FORGET: f64 = 0.01;

impl<T> JitterBuffer<T> {
    /// Waits `delay` seconds and holds at most `most` items; the oldest go when there are more.
    #[must_use]
    pub fn new(delay: f64, most: usize) -> Self {
        Self { delay, most: most.max(1), items: VecDeque::new(), offset: None, played: None, dropped: 0 }
    }

    /// An item for the sender's time `time` that arrived at `now`, both seconds. One that is older than what was played is
    /// dropped.
    pub fn push(&mut self, time: f64, now: f64, item: T) {
        if !(time.is_finite() && now.is_finite()) || self.played.is_some_and(|played| time < played) {
            self.dropped += 1;
            return;
        }
        let offset = now - time;
        let slowly = |known: f64| if offset < known { offset } else { known + FORGET * (offset - known) };
        self.offset = Some(self.offset.map_or(offset, slowly));
        let at = self.items.iter().rposition(|(other, _)| *other <= time).map_or(0, |before| before + 1);
        self.items.insert(at, (time, item));
        if self.items.len() > self.most {
            self.items.pop_front();
            self.dropped += 1;
        }
    }

    /// The next item whose time has come at `now`.
    pub fn pop(&mut self, now: f64) -> Option<T> {
        let offset = self.offset?;
        let due = self.items.front().is_some_and(|(time, _)| time + offset + self.delay <= now);
        let (time, item) = due.then(|| self.items.pop_front())??;
        self.played = Some(time);
        Some(item)
    }

    /// Forgets everything: the sender began anew.
    pub fn clear(&mut self) {
        self.items.clear();
        self.offset = None;
        self.played = None;
    }

    /// Items that came too late or found no room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

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
                buffer.push(arrivals[next].0, now, arrivals[next].0);
                next += 1;
            }
            while let Some(time) = buffer.pop(now) {
                played.push(time);
            }
            now += 0.002;
        }
        assert_eq!(played.len(), 300);
        assert!(played.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(buffer.dropped(), 0);
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
                buffer.push(time, now, time);
                while let Some(time) = buffer.pop(now) {
                    played.push(time);
                }
            }
        }
        assert_eq!(buffer.dropped(), 0);
        assert!(played.len() > 3580 && played.windows(2).all(|pair| pair[0] < pair[1]), "{}", played.len());
    }

    #[test]
    fn late_and_many_are_dropped_and_counted() {
        let mut buffer = JitterBuffer::new(0.0, 2);
        buffer.push(1.0, 1.0, 'a');
        assert_eq!(buffer.pop(1.0), Some('a'));
        buffer.push(0.5, 1.1, 'b');
        assert_eq!((buffer.pop(9.0), buffer.dropped()), (None, 1));
        for (time, item) in [(2.0, 'c'), (3.0, 'd'), (4.0, 'e')] {
            buffer.push(time, time, item);
        }
        assert_eq!((buffer.pop(9.0), buffer.dropped()), (Some('d'), 2));
        buffer.push(f64::NAN, 1.0, 'f');
        assert_eq!(buffer.dropped(), 3);
    }
}
