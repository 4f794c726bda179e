//! Live places and bodies, as `stream`, `record` and `perform run` use them.

use std::net::SocketAddr;
use std::ops::ControlFlow;

use ugoki::clip::Clip;
use ugoki::retarget::{RetargetConfig, Stance, build_retarget, retarget_with};
use ugoki::skeleton::is_t_pose;
use ugoki_db::default_skeleton;
use ugoki_studio::live::Address;

use crate::failure::Failure;
use crate::{files, interrupt, output};

/// The socket address that a live place means.
pub(crate) fn place(option: &str, text: &str) -> Result<SocketAddr, Failure> {
    let address = match Address::parse(text) {
        Some(Ok(address)) => address,
        Some(Err(error)) => return Err(Failure::advised(&format!("{option}: {error}"))),
        None => {
            return Err(Failure::new(format!("{option}: {text:?} is no live stream"))
                .hint("use vmc:PORT or vmc:HOST:PORT such as vmc:39539"));
        }
    };
    address.resolve().map_err(|error| Failure::advised(&format!("{option}: {error}")))
}

/// Whether what is sent `to` an address arrives at the socket that listens at `from`.
pub(crate) fn reaches(to: SocketAddr, from: SocketAddr) -> bool {
    let here = from.ip() == to.ip()
        || from.ip().is_unspecified() && to.ip().is_loopback()
        || to.ip().is_unspecified();
    here && to.port() == from.port()
}

/// Whether a name means a live stream.
pub(crate) fn is_live(name: &str) -> bool {
    Address::parse(name).is_some()
}

/// A port that cannot be listened at.
pub(crate) fn taken(name: &str, error: &std::io::Error) -> Failure {
    Failure::of_file(name, &files::plain(error))
        .hint("another program may listen there; close it or choose another port")
}

pub(crate) fn check_rate(fps: f64) -> Result<(), Failure> {
    if fps.is_finite() && fps > 0.0 && fps <= 1000.0 {
        return Ok(());
    }
    Err(Failure::new(format!("--fps: {fps} frames per second are not possible"))
        .hint("use a rate up to 1000"))
}

/// The motion on a body whose rest is a T-pose, as receivers expect: its own if that is one, else the standard body.
pub(crate) fn in_t_pose(clip: &Clip, name: &str) -> Result<Clip, Failure> {
    if is_t_pose(clip.skeleton(), &clip.skeleton().rest_positions()) {
        return Ok(clip.clone());
    }
    let go_on = &mut |_| match interrupt::stopped() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let unfit = |error: ugoki::retarget::RetargetError| Failure::of_file(name, &error);
    let map = Stance::from_clip(clip)
        .and_then(|from| Ok((from, Stance::from_rest(&default_skeleton())?)))
        .and_then(|(from, onto)| build_retarget(&from, &onto))
        .map_err(unfit)?;
    let moved = retarget_with(&map, clip, &RetargetConfig::default(), go_on).map_err(unfit)?;
    output::note(&format!("{name}: its rest is no T-pose, so it is sent on the standard body"));
    Ok(moved.clip)
}
