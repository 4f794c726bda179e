//! Packets in: one thread, one bounded queue.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use ugoki::live::{Assembler, Counts, StreamFrame};

/// Frames that wait at most: a second at the usual 60 per second. Older ones are of no use to a live receiver.
const MOST: usize = 64;
/// How often the thread looks whether it is to end, and closes a frame after which nothing came: a quarter of a frame at
/// 60 per second, the most that a lost packet may delay what did come.
const TICK: Duration = Duration::from_millis(4);
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
    /// Listens at `address`.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(TICK))?;
        let address = socket.local_addr()?;
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let thread = spawn(move || listen(&socket, &inner));
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

    /// What came so far, and frames dropped because nobody took them.
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

fn listen(socket: &UdpSocket, shared: &Shared) {
    let mut assembler = Assembler::default();
    let mut buffer = vec![0; PACKET];
    while !shared.ended.load(Ordering::Relaxed) {
        // A timeout, or an error that a packet of ours caused on the way back: go on either way.
        let frames = match socket.recv_from(&mut buffer) {
            Ok((len, _)) => assembler.packet(&buffer[..len]),
            Err(_) => assembler.finish().into_iter().collect(),
        };
        let at = Instant::now();
        let mut state = shared.lock();
        state.1 = assembler.counts();
        for frame in frames {
            if state.0.len() >= MOST {
                state.0.pop_front();
                shared.dropped.fetch_add(1, Ordering::Relaxed);
            }
            state.0.push_back(Arrived { frame, at });
        }
        shared.came.notify_one();
    }
}
