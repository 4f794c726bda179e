//! Packets in: one thread, one bounded queue.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use ugoki::live::{Assembler, Counts, JitterBuffer, Message, StreamFrame, decode};

/// Frames that wait at most: a second at the usual 60 per second. Older ones are of no use to a live receiver.
const MOST: usize = 64;
/// How often the thread looks whether it is to end, and closes a frame after which nothing came: a quarter of a frame at
/// 60 per second, the most that a lost packet may delay what did come.
const TICK: Duration = Duration::from_millis(4);
/// How often a buffer is looked at whether a packet's time has come.
const LOOK: Duration = Duration::from_millis(1);
/// Packets that wait in a buffer at most: a second of a busy stream.
const MOST_PACKETS: usize = 1024;
/// A sender's clock that goes back by more than this, seconds, has begun anew.
const RESTART_S: f64 = 1.0;
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

    /// Listens at `address` and holds packets back by `delay`, so that those which arrive in disorder within it are put in
    /// order by the sender's time. Streams without times are given as they come.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn open_buffered(address: SocketAddr, delay: Duration) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(if delay.is_zero() { TICK } else { LOOK }))?;
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

/// Senders that are told apart at most, and how long one may be silent before its place is given away. Where there are more,
/// one sends every packet from another port, and all packets are taken for one sender's.
const MOST_SENDERS: usize = 8;
const SILENT: Duration = Duration::from_secs(10);

/// One sender: a face and a body may come from two programs, each with its own clock.
struct Source {
    from: SocketAddr,
    assembler: Assembler,
    order: Option<Order>,
    heard: Instant,
}

impl Source {
    fn new(from: SocketAddr, delay: Duration) -> Self {
        let order = (!delay.is_zero()).then(|| Order::new(delay));
        Self { from, assembler: Assembler::default(), order, heard: Instant::now() }
    }

    /// Takes a packet, or that nothing more came; gives the frames that are complete.
    fn take(&mut self, packet: Option<&[u8]>) -> Vec<StreamFrame> {
        let Self { assembler, order, heard, .. } = self;
        let mut frames = Vec::new();
        match (order, packet) {
            (None, Some(packet)) => {
                *heard = Instant::now();
                frames = assembler.packet(packet);
            }
            (None, None) => {}
            (Some(order), packet) => order.take(packet, &mut |packet| {
                *heard = Instant::now();
                frames.extend(assembler.packet(packet));
            }),
        }
        if packet.is_none() && heard.elapsed() >= TICK {
            frames.extend(assembler.finish());
        }
        frames
    }
}

fn listen(socket: &UdpSocket, shared: &Shared, delay: Duration) {
    let mut sources: Vec<Source> = Vec::new();
    // What senders did whose places were given away.
    let mut gone = Counts::default();
    let mut crowd = false;
    let mut buffer = vec![0; PACKET];
    while !shared.ended.load(Ordering::Relaxed) {
        // A timeout, or an error that a packet of ours caused on the way back: go on either way.
        let came = socket.recv_from(&mut buffer).ok();
        let mut frames = Vec::new();
        if let Some((len, from)) = came {
            let mut known = sources.iter().position(|source| crowd || source.from == from);
            if known.is_none() && sources.len() >= MOST_SENDERS {
                let old = |source: &Source| source.heard.elapsed() > SILENT;
                sources
                    .iter()
                    .filter(|source| old(source))
                    .for_each(|s| add(&mut gone, s.assembler.counts()));
                sources.retain(|source| !old(source));
                crowd = sources.len() >= MOST_SENDERS;
                known = crowd.then_some(0);
            }
            let at = known.unwrap_or_else(|| {
                sources.push(Source::new(from, delay));
                sources.len() - 1
            });
            frames = sources[at].take(Some(&buffer[..len]));
        }
        for source in &mut sources {
            frames.extend(source.take(None));
        }
        let at = Instant::now();
        let mut state = shared.lock();
        state.1 = gone;
        sources.iter().for_each(|source| add(&mut state.1, source.assembler.counts()));
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

fn add(sum: &mut Counts, one: Counts) {
    sum.frames += one.frames;
    sum.refused += one.refused;
    sum.reordered += one.reordered;
    sum.restarts += one.restarts;
}

/// Packets put in order by the sender's time.
struct Order {
    buffer: JitterBuffer<Vec<u8>>,
    start: Instant,
    /// The sender's time of the packet that came last: packets without one belong to it.
    last: Option<f64>,
}

impl Order {
    fn new(delay: Duration) -> Self {
        let buffer = JitterBuffer::new(delay.as_secs_f64(), MOST_PACKETS);
        Self { buffer, start: Instant::now(), last: None }
    }

    /// Takes a packet that came, if one did, and gives those whose time has come.
    fn take(&mut self, packet: Option<&[u8]>, give: &mut dyn FnMut(&[u8])) {
        let now = self.start.elapsed().as_secs_f64();
        if let Some(packet) = packet {
            let told = time_of(packet);
            if let (Some(told), Some(last)) = (told, self.last)
                && told < last - RESTART_S
            {
                // A new start: what still waits is of the old one.
                while let Some(packet) = self.buffer.pop(f64::INFINITY) {
                    give(&packet);
                }
                self.buffer.clear();
            }
            self.last = told.or(self.last);
            match self.last {
                Some(time) => {
                    // What cannot be put in order goes on as it came: its frame is counted as late, its faces pass.
                    if let Some(late) = self.buffer.push(time, now, packet.to_vec()) {
                        give(&late);
                    }
                }
                None => give(packet),
            }
        }
        while let Some(packet) = self.buffer.pop(now) {
            give(&packet);
        }
    }
}

/// The sender's time that a packet tells.
fn time_of(packet: &[u8]) -> Option<f64> {
    let (messages, _) = decode(packet).ok()?;
    messages.iter().find_map(|message| match message {
        Message::Time(time) => Some(f64::from(*time)),
        _ => None,
    })
}
