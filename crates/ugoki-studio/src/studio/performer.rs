//! The performer that one page listens to: packets in, poses of performer and actor out, on a thread of its own.
//!
//! ```text
//! UDP ─Receiver─► frame ─┬─► performer's pose ──────────────► page
//!                        ├─► Recorder ─(finish)─► a clip of the database
//!                        └─► Proxy (what the document learned) ─► actor's pose, what was recognised ─► page
//! ```

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver as Orders};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ugoki::live::sockets::{Arrived, Receiver, Recorder};
use ugoki::live::{LiveConfig, LiveEvent, run_live};
use ugoki::live::{StreamFrame, skeleton_of, stream_pose_into};
use ugoki::perform::RunConfig;
use ugoki::perform::RunFrame;
use ugoki::perform::live::Proxy;
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::skeleton::Skeleton;
use ugoki_db::default_skeleton;

use super::live::{Live, Order};
use super::motion::{body, model_poses};
use super::page::Page;
use super::protocol::{Answer, Problem, Recognised};
use super::session::Effect;

/// Frames per second of recordings, and of a performer before the first frames arrive.
const LIVE_FPS: f64 = 60.0;
/// Longest time between two looks at the orders.
const PATIENCE: Duration = Duration::from_millis(20);
/// Time between two reports on the performance.
const PULSE: Duration = Duration::from_millis(100);
/// Longest recording, seconds.
const MAX_SECONDS: f32 = 600.0;

/// Listens at a port for the page.
pub(super) fn listen(page: &Arc<Page>, port: u16, everywhere: bool) -> Result<Live, Problem> {
    let host = if everywhere { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    let receiver = Receiver::open(SocketAddr::from((host, port))).map_err(|error| {
        Problem::new(format!("port {port} cannot be listened at: {error}")).hint("give another one")
    })?;
    let (teller, orders) = mpsc::channel();
    let mut hearing = Hearing::new(page, receiver.address());
    hearing.introduce(page);
    let thread = std::thread::Builder::new().name("performer".to_owned());
    let thread = thread
        .spawn(move || hearing.hear(&receiver, &orders))
        .map_err(|error| Problem::new(format!("the system gives no thread: {error}")))?;
    Ok(Live::new(teller, thread))
}

/// A body that moves now.
#[derive(Debug)]
struct Body {
    stream: u32,
    skeleton: Arc<Skeleton>,
    pose: Pose,
    model: ModelPose,
    /// Poses sent so far.
    frames: u32,
}

impl Body {
    fn new(stream: u32, skeleton: Arc<Skeleton>) -> Self {
        let pose = Pose::rest(&skeleton);
        Self { stream, skeleton, pose, model: ModelPose::default(), frames: 0 }
    }

    /// Sends the pose it has.
    fn send(&mut self, page: &Page) {
        forward_kinematics_into(&self.skeleton, &self.pose, &mut self.model);
        page.send(&model_poses(&self.model, self.stream, self.frames));
        self.frames = self.frames.wrapping_add(1);
    }
}

/// What is being written down.
struct Recording {
    name: String,
    seconds: f64,
    begun: Instant,
    recorder: Recorder,
}

struct Hearing {
    page: Weak<Page>,
    address: SocketAddr,
    like: Arc<Skeleton>,
    performer: Option<Body>,
    /// Bones that the performer's skeleton was made of.
    bones: usize,
    actor: Option<(Proxy, Body)>,
    recording: Option<Recording>,
    recognised: Option<Recognised>,
    /// Arrivals of the last second.
    arrivals: std::collections::VecDeque<Instant>,
    slowest: Duration,
    reported: Instant,
}

impl Hearing {
    fn new(page: &Arc<Page>, address: SocketAddr) -> Self {
        Self {
            page: Arc::downgrade(page),
            address,
            like: default_skeleton(),
            performer: None,
            bones: 0,
            actor: None,
            recording: None,
            recognised: None,
            arrivals: std::collections::VecDeque::new(),
            slowest: Duration::ZERO,
            reported: Instant::now(),
        }
    }

    fn hear(mut self, receiver: &Receiver, orders: &Orders<Order>) {
        let config = LiveConfig { patience: PATIENCE, ..LiveConfig::default() };
        let Ok(_) = run_live(receiver, config, &mut |event| {
            let Some(page) = self.page.upgrade().filter(|page| !page.gone()) else {
                return Ok::<_, Infallible>(ControlFlow::Break(()));
            };
            Ok(match event {
                LiveEvent::Item(arrived, seconds) => {
                    self.take(&page, &arrived, seconds);
                    ControlFlow::Continue(())
                }
                LiveEvent::Tick => self.tick(&page, orders),
            })
        });
    }

    /// Carries out orders, ends a recording that is over, and reports; breaks when no order can come any more.
    fn tick(&mut self, page: &Arc<Page>, orders: &Orders<Order>) -> ControlFlow<()> {
        loop {
            match orders.try_recv() {
                Ok(order) => self.obey(page, order),
                Err(mpsc::TryRecvError::Empty) => break,
                Err(mpsc::TryRecvError::Disconnected) => return ControlFlow::Break(()),
            }
        }
        if self.recording.as_ref().is_some_and(|r| r.begun.elapsed().as_secs_f64() >= r.seconds) {
            self.finish(page);
        }
        if self.reported.elapsed() >= PULSE {
            self.pulse(page);
        }
        ControlFlow::Continue(())
    }

    fn obey(&mut self, page: &Arc<Page>, order: Order) {
        match order {
            Order::Record(name, seconds) => {
                let seconds = f64::from(seconds.clamp(0.1, MAX_SECONDS));
                let (begun, recorder) = (Instant::now(), Recorder::default());
                self.recording = Some(Recording { name, seconds, begun, recorder });
            }
            Order::Finish => self.finish(page),
            Order::Drive(None) => {
                self.actor = None;
                self.recognised = None;
                self.introduce(page);
            }
            Order::Drive(Some(model)) => {
                match Proxy::build(model, &self.like, LIVE_FPS, RunConfig::default()) {
                    Ok(proxy) => {
                        let body = Body::new(page.studio.next_stream(), proxy.skeleton().clone());
                        self.actor = Some((proxy, body));
                        self.introduce(page);
                    }
                    Err(error) => page.refuse(None, Problem::new(error.to_string())),
                }
            }
        }
    }

    /// Sends the page the bodies.
    fn introduce(&mut self, page: &Page) {
        let of = |known: &Body, name: &str| body(&known.skeleton, known.stream, name, LIVE_FPS as f32);
        page.answer(&Answer::Live {
            address: Some(self.address.to_string()),
            performer: self.performer.as_ref().map(|known| of(known, "performer")),
            actor: self.actor.as_ref().map(|(_, known)| of(known, "actor")),
        });
    }

    fn take(&mut self, page: &Arc<Page>, arrived: &Arrived, seconds: f64) {
        if !arrived.frame.moved {
            return;
        }
        self.arrivals.push_back(arrived.at);
        self.meet(page, &arrived.frame);
        if let Some(recording) = &mut self.recording
            && !recording.recorder.push(seconds, arrived.frame.clone())
        {
            self.finish(page);
        }
        if let Some(performer) = &mut self.performer {
            stream_pose_into(&performer.skeleton, &arrived.frame, &mut performer.pose);
            performer.send(page);
        }
        if let Some((proxy, actor)) = &mut self.actor {
            let (_, found) = proxy.frame(&arrived.frame, seconds);
            if let Some(found) = found {
                let frame = RunFrame::new(proxy.model(), &found, seconds);
                self.recognised = Some(Recognised {
                    motion: frame.motion,
                    piece: frame.piece,
                    confidence: frame.confidence,
                    known: frame.known,
                    frame: frame.actor_frame as u32,
                });
                actor.pose.clone_from(proxy.pose());
                actor.send(page);
            }
        }
        self.slowest = self.slowest.max(arrived.at.elapsed());
    }

    /// Builds the performer's body, again when more bones are sent.
    fn meet(&mut self, page: &Page, frame: &StreamFrame) {
        let bones = frame.bones.iter().flatten().count();
        if self.performer.is_some() && bones == self.bones {
            return;
        }
        // Until the hips come there is no body.
        let Ok(skeleton) = skeleton_of(frame, &self.like) else { return };
        self.bones = bones;
        self.performer = Some(Body::new(page.studio.next_stream(), skeleton));
        self.introduce(page);
    }

    /// Keeps what was written down.
    fn finish(&mut self, page: &Page) {
        let Some(recording) = self.recording.take() else { return };
        let kept = (recording.recorder.clip(LIVE_FPS, &self.like))
            .map_err(|error| {
                let problem = Problem::new(error.to_string());
                error.hint().into_iter().fold(problem, Problem::hint)
            })
            .and_then(|mut clip| {
                clip.name.clone_from(&recording.name);
                let names = page.studio.add(&[clip])?;
                page.keep_effect(&format!("recorded: {}", names.join(", ")), Effect::Added(names.clone()))?;
                Ok(names)
            });
        match kept {
            Ok(names) => {
                page.answer(&Answer::Recorded { clip: names.into_iter().next().unwrap_or_default() });
            }
            Err(problem) => page.refuse(None, problem),
        }
    }

    fn pulse(&mut self, page: &Page) {
        self.reported = Instant::now();
        while self.arrivals.front().is_some_and(|at| at.elapsed() > Duration::from_secs(1)) {
            self.arrivals.pop_front();
        }
        page.answer(&Answer::Pulse {
            fps: self.arrivals.len() as f32,
            recorded_s: self.recording.as_ref().map(|recording| recording.begun.elapsed().as_secs_f32()),
            recognised: self.recognised.clone(),
            delay_ms: self.slowest.as_secs_f32() * 1e3,
        });
        self.slowest = Duration::ZERO;
    }
}
