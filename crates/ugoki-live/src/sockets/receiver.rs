//! Packets in: one thread, one bounded queue.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use crate::{Counts, StreamFrame};

use super::senders::{Senders, TICK};

/// Most frames that wait: a second at the usual 60 per second. Older ones are useless to a live receiver.
const MAX_WAITING: usize = 64;
/// How often a jitter buffer is asked for packets that are due.
const BUFFER_POLL: Duration = Duration::from_millis(1);
/// Largest UDP packet.
const PACKET: usize = 65_536;

/// A frame and when its last packet arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The frame.
    pub frame: StreamFrame,
    /// When it was complete.
    pub at: Instant,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<(VecDeque<Arrived>, Counts)>,
    came: Condvar,
    ended: AtomicBool,
    dropped: AtomicU64,
}

impl Shared {
    /// The queue; a thread that panicked while holding it cannot have left it half changed.
    fn lock(&self) -> MutexGuard<'_, (VecDeque<Arrived>, Counts)> {
        self.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Receives until it is dropped.
pub struct Receiver {
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    /// Listens at `address`; frames are given as they come.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        Self::open_buffered(address, Duration::ZERO)
    }

    /// Listens at `address` and holds packets back by `delay`, to put those that arrive out of order within it into the
    /// order of the sender's time. Streams without times are given as they come.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn open_buffered(address: SocketAddr, delay: Duration) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(if delay.is_zero() { TICK } else { BUFFER_POLL }))?;
        let address = socket.local_addr()?;
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let thread = spawn(move || listen(&socket, &inner, delay));
        Ok(Self { shared, address, thread: Some(thread) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next frame, or `None` when none came for that long.
    #[must_use]
    pub fn next(&self, patience: Duration) -> Option<Arrived> {
        let until = Instant::now() + patience;
        let mut state = self.shared.lock();
        loop {
            if let Some(arrived) = state.0.pop_front() {
                return Some(arrived);
            }
            let left = until.checked_duration_since(Instant::now())?;
            state = match self.shared.came.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Counts so far, and frames that were dropped because they were not taken in time.
    #[must_use]
    pub fn counts(&self) -> (Counts, u64) {
        (self.shared.lock().1, self.shared.dropped.load(Ordering::Relaxed))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn listen(socket: &UdpSocket, shared: &Shared, delay: Duration) {
    let mut senders = Senders::new(delay);
    let mut buffer = vec![0; PACKET];
    while !shared.ended.load(Ordering::Relaxed) {
        // A timeout, or an error that an earlier packet of ours caused: continue either way.
        let came = socket.recv_from(&mut buffer).ok();
        let at = Instant::now();
        let frames = senders.take(came.map(|(len, from)| (from, &buffer[..len])), at);
        let mut state = shared.lock();
        state.1 = senders.counts();
        for frame in frames {
            if state.0.len() >= MAX_WAITING {
                state.0.pop_front();
                shared.dropped.fetch_add(1, Ordering::Relaxed);
            }
            state.0.push_back(Arrived { frame, at });
        }
        shared.came.notify_one();
    }
}
