//! What every frame of every motion looks like, at every size; built once.

use glam::Vec3;
use ugoki_motion::segment::{BodyPoints, Observer, SegmentError};

use super::config::FilterConfig;
use super::features::{FeaturePoints, Features, NUM_COORDINATES, NUM_FEATURES, weight};
use crate::amplitude::with_amplitude;
use crate::model::{LOOK_BACK_S, MOMENTS_HZ, num_moments};
use crate::{Model, Motion, Strand};

/// Frames of a cell: what a wide register holds.
pub(super) const WIDTH: usize = 8;
pub(super) type Lanes = [f32; WIDTH];
/// Principal components by which these are found.
pub(super) const COARSE: usize = 12;
/// Places and velocities.
const ROWS: usize = 2 * NUM_COORDINATES;
/// A place that no body is at: the frame is not there.
const NOWHERE: f32 = 1e3;

/// Directions, places and velocities of a body in one frame.
#[derive(Debug, Clone, Copy)]
struct Look {
    now: Features,
    rate: Features,
}

/// Eight neighbouring frames of one motion at one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) motion: u32,
    pub(super) size: u32,
    pub(super) block: u32,
    /// Frames of the eight that are there.
    pub(super) frames: u32,
}

/// Where a motion's cells are: size after size, block after block.
#[derive(Debug, Clone, Copy)]
pub(super) struct MotionCells {
    pub(super) first: usize,
    pub(super) blocks: usize,
    pub(super) frames: usize,
    pub(super) sizes: usize,
    /// The first of the sizes that are whole: the actor's own and the imitations.
    pub(super) whole: usize,
    /// Frames of the actor's clip per frame here.
    pub(super) clip_frames: f64,
}

impl MotionCells {
    pub(super) fn num_cells(&self) -> usize {
        self.blocks * self.sizes
    }
}

/// All that the filter compares a performer with.
#[derive(Debug, Clone)]
pub struct Atlas {
    pub(super) points: FeaturePoints,
    pub(super) motions: Vec<MotionCells>,
    pub(super) cells: Vec<Cell>,
    /// Per cell the coordinates of what is seen, then their velocities.
    columns: Vec<Lanes>,
    pub(super) weights: [f32; NUM_FEATURES],
    /// Per row of the columns its mean and its part in each principal component.
    pub(super) mean: [f32; ROWS],
    pub(super) axes: [[f32; COARSE]; ROWS],
    /// For every principal component the mean of every cell's frames.
    pub(super) centres: [Vec<f32>; COARSE],
}

impl Atlas {
    /// Looks of a model's motions and of their imitations.
    ///
    /// # Errors
    /// When a body is not known.
    pub fn build(model: &Model, config: &FilterConfig) -> Result<Self, SegmentError> {
        let mut atlas = Self {
            points: FeaturePoints::new(&model.roles),
            motions: Vec::new(),
            cells: Vec::new(),
            columns: Vec::new(),
            weights: std::array::from_fn(|feature| weight(feature, config.ends)),
            mean: [0.0; ROWS],
            axes: [[0.0; COARSE]; ROWS],
            centres: std::array::from_fn(|_| Vec::new()),
        };
        for motion in &model.motions {
            atlas.add(model, motion, config)?;
        }
        atlas.find_components(config);
        Ok(atlas)
    }

    fn add(&mut self, model: &Model, motion: &Motion, config: &FilterConfig) -> Result<(), SegmentError> {
        let clip = &motion.clip;
        let skeleton = clip.skeleton();
        let observer = Observer::build(skeleton)?.on_usual_bones(skeleton).only(&model.roles);
        let frames = num_moments(clip);
        let own = observer.num_points() == model.roles.len();
        let all = frames * model.roles.len();
        let fits = |strand: &&Strand| strand.seen.len() == frames && strand.points.len() == all;
        let strands: Vec<&Strand> = motion.strands.iter().filter(fits).collect();
        let whole = strands.len() + 1;
        let sizes = whole + config.sizes.len();
        let clip_frames = clip.fps() / MOMENTS_HZ;
        let blocks = frames.div_ceil(WIDTH);
        let number = self.motions.len() as u32;
        self.motions.push(MotionCells { first: self.cells.len(), blocks, frames, sizes, whole, clip_frames });
        for size in 0..sizes {
            let looks: Vec<Option<Look>> = if (1..whole).contains(&size) {
                (0..frames)
                    .map(|frame| self.strand_look(strands[size - 1], model.roles.len(), frame))
                    .collect()
            } else if own {
                let seen = match size.checked_sub(whole) {
                    None => BodyPoints::watch(&observer, clip),
                    Some(at) => {
                        let (amplitude, base) = config.sizes[at];
                        BodyPoints::watch(&observer, &with_amplitude(clip, amplitude, base))
                    }
                };
                let seen = seen.scaled(1.0 / observer.leg_metres());
                (0..frames)
                    .map(|frame| Some(self.look(&seen, frame as f64 * clip_frames, clip.fps())))
                    .collect()
            } else {
                // A model made by hand may have points that its actor lacks; then the strands alone count.
                vec![None; frames]
            };
            for (block, some) in looks.chunks(WIDTH).enumerate() {
                let (block, frames) = (block as u32, some.len() as u32);
                self.cells.push(Cell { motion: number, size: size as u32, block, frames });
                for row in 0..ROWS {
                    self.columns.push(std::array::from_fn(|lane| match some.get(lane) {
                        Some(Some(look)) => {
                            let all = if row < NUM_COORDINATES { &look.now } else { &look.rate };
                            let value = all[row % NUM_COORDINATES / 3][row % 3];
                            if value.is_finite() { value } else { 0.0 }
                        }
                        _ if row < NUM_COORDINATES => NOWHERE,
                        _ => 0.0,
                    }));
                }
            }
        }
        Ok(())
    }

    /// A body at a time between frames, `time` in frames of `fps` per second; velocities over the time before it.
    fn look(&self, seen: &BodyPoints, time: f64, fps: f64) -> Look {
        let last = seen.num_frames() - 1;
        let at = |time: f64| {
            let low = (time.max(0.0) as usize).min(last);
            let high = (low + 1).min(last);
            let t = (time - low as f64).clamp(0.0, 1.0) as f32;
            let between: Vec<Vec3> =
                seen.frame(low).iter().zip(seen.frame(high)).map(|(a, b)| a.lerp(*b, t)).collect();
            self.points.features(&between)
        };
        let back = LOOK_BACK_S * fps;
        // At its beginning a motion has nothing before it; what comes first stands in.
        let (from, to) = ((time - back).max(0.0), time.max(back).min(last as f64));
        let (before, after) = (at(from), at(to));
        let seconds = ((to - from) / fps).max(1e-3) as f32;
        Look { now: at(time), rate: std::array::from_fn(|i| (after[i] - before[i]) / seconds) }
    }

    /// An imitation at a moment of the actor, moving in the actor's time; `None` where it is not seen.
    fn strand_look(&self, strand: &Strand, num_points: usize, moment: usize) -> Option<Look> {
        let back = (LOOK_BACK_S * MOMENTS_HZ).round() as usize;
        let (from, to) = (moment.saturating_sub(back), moment.max(back));
        let at = |moment: usize| {
            let is_seen = strand.seen.get(moment).copied().unwrap_or(false);
            is_seen
                .then(|| self.points.features(&strand.points[moment * num_points..(moment + 1) * num_points]))
        };
        let (now, before, after) = (at(moment)?, at(from)?, at(to)?);
        let seconds = ((to - from) as f64 / MOMENTS_HZ) as f32;
        Some(Look { now, rate: std::array::from_fn(|i| (after[i] - before[i]) / seconds) })
    }

    /// The columns of a cell: places, then velocities.
    pub(super) fn columns(&self, cell: usize) -> &[Lanes] {
        &self.columns[ROWS * cell..ROWS * (cell + 1)]
    }

    /// Principal components of all frames, places and weighted velocities alike, by orthogonal iteration.
    fn find_components(&mut self, config: &FilterConfig) {
        let weight = |row: usize| {
            let own = self.weights[row % NUM_COORDINATES / 3].sqrt();
            own * if row < NUM_COORDINATES { 1.0 } else { config.velocity_s }
        };
        let weights: [f32; ROWS] = std::array::from_fn(weight);
        let mut rows: Vec<[f32; ROWS]> = Vec::new();
        let mut of_cell = Vec::with_capacity(self.cells.len());
        for (number, cell) in self.cells.iter().enumerate() {
            let columns = self.columns(number);
            let mut mean = [0.0; ROWS];
            let here: Vec<usize> =
                (0..cell.frames as usize).filter(|&lane| columns[0][lane] < NOWHERE).collect();
            for (row, mean) in mean.iter_mut().enumerate() {
                let sum: f32 = here.iter().map(|&lane| columns[row][lane]).sum();
                *mean = if here.is_empty() { NOWHERE } else { sum / here.len() as f32 };
            }
            if !here.is_empty() {
                rows.push(mean);
            }
            of_cell.push(mean);
        }
        let count = rows.len().max(1) as f32;
        for row in 0..ROWS {
            self.mean[row] = rows.iter().map(|own| own[row]).sum::<f32>() / count;
        }
        let mut covariance = vec![[0.0_f32; ROWS]; ROWS];
        for own in &rows {
            let own: [f32; ROWS] = std::array::from_fn(|row| weights[row] * (own[row] - self.mean[row]));
            for (row, sums) in covariance.iter_mut().enumerate() {
                for (sum, other) in sums.iter_mut().zip(&own) {
                    *sum += own[row] * other / count;
                }
            }
        }
        // Any start that is orthogonal to no component will do.
        let mut axes: Vec<[f32; ROWS]> = (0..COARSE)
            .map(|k| std::array::from_fn(|row| if row % COARSE == k { 1.0 } else { 0.01 * (row % 7) as f32 }))
            .collect();
        for _ in 0..20 {
            let mut better: Vec<[f32; ROWS]> = Vec::with_capacity(COARSE);
            for old in &axes {
                let mut new: [f32; ROWS] =
                    std::array::from_fn(|row| covariance[row].iter().zip(old).map(|(c, x)| c * x).sum());
                for other in &better {
                    let along: f32 = new.iter().zip(other).map(|(a, b)| a * b).sum();
                    new.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
                let norm = new.iter().map(|x| x * x).sum::<f32>().sqrt();
                better.push(if norm > 1e-9 { new.map(|x| x / norm) } else { [0.0; ROWS] });
            }
            axes = better;
        }
        for (row, own) in self.axes.iter_mut().enumerate() {
            *own = std::array::from_fn(|k| weights[row] * axes[k][row]);
        }
        self.centres = std::array::from_fn(|k| {
            let centre = |mean: &[f32; ROWS]| {
                (0..ROWS).map(|row| (mean[row] - self.mean[row]) * self.axes[row][k]).sum()
            };
            of_cell.iter().map(centre).collect()
        });
    }
}
