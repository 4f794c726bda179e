//! One foot led along a path in the world, held still where it stands, and free where it swings.

use glam::{DQuat, DVec3};
use ugoki_base::math::{exp64, log64};
use ugoki_feet::feet::{FootPath, FootShift, Hold, correction, smooth_above};

/// Rounds of holding the foot's direction: rotation vectors add up only nearly, what is left is of second order.
const TURN_ROUNDS: usize = 2;
/// Half the time over which a foot goes from being led to swinging freely, seconds: together under half a swing.
pub(super) const GRIP_S: f64 = 0.125;
/// Half the time over which a lift comes and goes, seconds.
pub(super) const LIFT_S: f64 = 0.05;
/// How far to either side the mean toes are looked at for how low they go, seconds: about half a stance. A foot whose
/// direction is held has its toe at the mean height of the stance and need not be lifted over each single frame.
const LOW_S: f64 = 0.2;
/// Depths up to this are rounding, metres.
pub(super) const ROUNDING_M: f64 = 2e-5;

/// Where one foot is led. Steps are those from a frame to the next.
pub(super) struct Guide<'a> {
    /// Places of the ankle.
    pub(super) ankle: Vec<DVec3>,
    /// Directions of the foot in the world.
    pub(super) rotation: Vec<DQuat>,
    /// What heel (ankle) and toe should still move while standing: nothing, or what the captured ones do.
    pub(super) steps: [Vec<DVec3>; 2],
    /// The same for the turn of the foot, rotation vectors in the world.
    pub(super) turns: Vec<DVec3>,
    /// Heights under which heel and toe should nowhere near go while the foot is led.
    pub(super) led_heights: [Vec<f64>; 2],
    /// The same while it swings.
    pub(super) free_heights: [Vec<f64>; 2],
    /// How firmly heel and toe stand in each frame, 0 to 1.
    pub(super) firm: [&'a [f64]; 2],
    pub(super) fps: f64,
}

impl Guide<'_> {
    /// What brings the foot `free`, as it goes unled, to its place.
    pub(super) fn fix(self, free: &FootPath) -> FootShift {
        let num_frames = free.ankle.len();
        let ankle = self.ankle;
        let frames = |seconds: f64| ((seconds * self.fps).round() as usize).max(1);
        let stands: Vec<f64> = self.firm[0].iter().zip(self.firm[1]).map(|(h, t)| h.max(*t)).collect();
        let grip: Vec<f64> =
            smooth_above(&stands, frames(GRIP_S)).into_iter().map(|g| g.clamp(0.0, 1.0)).collect();
        let firm = |list: &[f64], frame: usize| list[frame].min(list[frame + 1]);

        // The foot's direction stands still while heel and toe do.
        let mut rotation = self.rotation;
        for _ in 0..TURN_ROUNDS {
            let holds: Vec<Hold> = (0..num_frames.saturating_sub(1))
                .map(|frame| {
                    let turned = log64(rotation[frame + 1] * rotation[frame].conjugate());
                    let step = self.turns[frame] - turned;
                    Hold { frame, firm: firm(self.firm[0], frame).min(firm(self.firm[1], frame)), step }
                })
                .collect();
            for (q, turn) in rotation.iter_mut().zip(correction(num_frames, self.fps, &holds)) {
                *q = exp64(turn) * *q;
            }
        }

        // Then the ankle goes where heel and toe stand still.
        let offset = |frame: usize| free.rotation[frame].conjugate() * (free.toe[frame] - free.ankle[frame]);
        let led_toe: Vec<DVec3> =
            (0..num_frames).map(|frame| ankle[frame] + rotation[frame] * offset(frame)).collect();
        let mut holds = Vec::with_capacity(2 * num_frames);
        for frame in 0..num_frames.saturating_sub(1) {
            for (point, path) in [&ankle, &led_toe].into_iter().enumerate() {
                // Along the ground: heights stay as led, of which a capture is never quite sure.
                let step = (self.steps[point][frame] - (path[frame + 1] - path[frame])).with_y(0.0);
                holds.push(Hold { frame, firm: firm(self.firm[point], frame), step });
            }
        }
        let held = correction(num_frames, self.fps, &holds);

        let turn: Vec<DVec3> = (0..num_frames)
            .map(|frame| log64(rotation[frame] * free.rotation[frame].conjugate()) * grip[frame])
            .collect();
        let shift: Vec<DVec3> = (0..num_frames)
            .map(|frame| (ankle[frame] + held[frame] - free.ankle[frame]) * grip[frame])
            .collect();

        // And no heel or toe goes lower than it should nearby.
        let mut depth = vec![0.0_f64; num_frames];
        for point in 0..2 {
            let led_low = lowest_near(&self.led_heights[point], self.fps);
            let free_low = lowest_near(&self.free_heights[point], self.fps);
            for frame in 0..num_frames {
                let arm = free.point(point == 0)[frame] - free.ankle[frame];
                let height = (free.ankle[frame] + shift[frame] + exp64(turn[frame]) * arm).y;
                let least = free_low[frame] + grip[frame] * (led_low[frame] - free_low[frame]);
                depth[frame] = depth[frame].max(least - height - ROUNDING_M);
            }
        }
        let lift = smooth_above(&depth, frames(LIFT_S));
        let shift = shift.iter().zip(&lift).map(|(shift, lift)| *shift + DVec3::Y * *lift).collect();
        FootShift { turn, shift, led: grip.clone(), grip }
    }
}

/// The lowest of heights within about half a stance of each frame, metres.
pub(super) fn lowest_near(heights: &[f64], fps: f64) -> Vec<f64> {
    let half = ((LOW_S * fps).round() as usize).max(1);
    let window = |frame: usize| &heights[frame.saturating_sub(half)..(frame + half + 1).min(heights.len())];
    (0..heights.len()).map(|frame| window(frame).iter().copied().fold(f64::INFINITY, f64::min)).collect()
}
