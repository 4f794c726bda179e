//! Seams tried with other windows and cuts until they show no more than the sources' own motion does.

use ugoki_base::Progress;
use ugoki_base::clip::Clip;

use super::assemble::SeamPlan;
use super::foot_plan::SAME_M;
use super::piece::{Prepared, other_cuts};
use super::{BodyTrace, Footholds, LegLimits, SeamBody, SourceBody, SpliceConfig, SpliceError, Spliced};

/// How many times longer windows are tried where a seam shows; the first is the one asked for.
pub(in crate::edit) const WINDOWS: [f64; 4] = [1.0, 1.6, 2.4, 3.3];
/// How much less another try must show to be taken, as a factor: by less than eyes see, the first is as good, and rounding does not choose.
pub(in crate::edit) const BETTER: f64 = 0.98;
/// Weights of momentum, of the step over the seam and of the legs: momentum first, since longer windows do not help everywhere.
const WEIGHTS: [f64; 3] = [3.0, 1.0, 1.0];

/// Joins prepared clips and measures the result against the motions as captured.
pub(super) struct Search<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) config: &'a SpliceConfig,
    pub(super) own: Option<LegLimits>,
    pub(super) sources: SourceBody,
}

impl<'a> Search<'a> {
    pub(super) fn new(prepared: &'a Prepared, captured: &[&Clip], config: &'a SpliceConfig) -> Self {
        let own = prepared.feet.as_ref().map(|feet| LegLimits::of(captured, feet));
        Self { prepared, config, own, sources: SourceBody::new(captured) }
    }

    /// The same limits for other pieces.
    pub(super) fn over<'b>(&'b self, prepared: &'b Prepared) -> Search<'b> {
        Search { prepared, config: self.config, own: self.own.clone(), sources: self.sources }
    }

    /// The clips joined by these plans, measured.
    fn once(&self, plans: &[SeamPlan], progress: Progress<'_>) -> Result<Spliced, SpliceError> {
        let mut done = self.prepared.splice(plans, self.config.trim_s, self.config.feet, progress)?;
        done.sources = self.sources;
        let fps = done.clip.fps();
        if let (Some(feet), Some(own)) = (&self.prepared.feet, &self.own) {
            let half = |plan: &SeamPlan| (0.5 * plan.blend_s * fps).round() as usize;
            let about = done
                .seams
                .iter()
                .zip(plans)
                .map(|(seam, plan)| LegLimits::about(seam.frame, half(plan), fps));
            let ranges: Vec<_> = about.chain(std::iter::once(0..done.clip.num_frames())).collect();
            let mut strains = own.strains(&done.clip, feet, &ranges);
            done.strain = strains.pop().unwrap_or(0.0);
            done.seams.iter_mut().zip(strains).for_each(|(seam, strain)| seam.strain = strain);
        }
        let stands = Footholds::of(&done.clip, done.contacts.as_ref());
        let trace = BodyTrace::new(&done.clip);
        for (seam, pair) in done.seams.iter_mut().zip(done.clips.windows(2)) {
            let frames = pair[0].start..pair[1].start + pair[1].frames;
            let step = stands.floor_step(seam.frame, &frames, fps);
            seam.body = SeamBody { floor_step_mm: step.map(|step| 1e3 * step), ..trace.at(seam.frame) };
        }
        Ok(done)
    }

    /// The best result: where a seam shows, its other windows and cuts, and where the hips accelerate beyond the limit, also hips laid on
    /// hips. Seams hardly depend on each other, so each run tries one plan for every such seam.
    pub(super) fn best(&self, may_search: bool, progress: Progress<'_>) -> Result<Spliced, SpliceError> {
        let config = self.config;
        let plan = SeamPlan { blend_s: config.blend_s, cut: None, by_hips: false };
        let mut plans = vec![plan; self.prepared.pieces.len() - 1];
        let first = self.once(&plans, progress)?;
        if !may_search || config.trim_s == 0.0 || first.excess_sum() == 0.0 {
            return Ok(first);
        }
        let fps = first.clip.fps();
        let frames = |seconds: f64| (seconds * fps).round() as usize;
        for (plan, pair) in plans.iter_mut().zip(first.clips.windows(2)) {
            plan.cut = Some([frames(pair[0].trimmed_s[1]), frames(pair[1].trimmed_s[0])]);
        }
        let mut least: Vec<f64> = (0..plans.len()).map(|seam| first.excess_at(seam)).collect();
        let tries: Vec<Vec<SeamPlan>> =
            plans.iter().enumerate().map(|(seam, plan)| self.tries(&first, seam, plan)).collect();
        for round in 0..tries.iter().map(Vec::len).max().unwrap_or(0) {
            let open: Vec<usize> =
                (0..plans.len()).filter(|&seam| least[seam] > 0.0 && round < tries[seam].len()).collect();
            if open.is_empty() {
                break;
            }
            let mut trial = plans.clone();
            open.iter().for_each(|&seam| trial[seam] = tries[seam][round]);
            let done = self.once(&trial, progress)?;
            for seam in open {
                // Feet do not pay for it.
                let slides = done.seams[seam].body.slide_mm > first.seams[seam].body.slide_mm + 1e3 * SAME_M;
                if !slides && done.excess_at(seam) < BETTER * least[seam] {
                    (plans[seam], least[seam]) = (trial[seam], done.excess_at(seam));
                }
            }
        }
        let last = self.once(&plans, progress)?;
        Ok(if last.excess_sum() < first.excess_sum() { last } else { first })
    }

    /// Other plans for a seam that was made by `plan`.
    fn tries(&self, first: &Spliced, seam: usize, plan: &SeamPlan) -> Vec<SeamPlan> {
        let (a, b) = (&self.prepared.pieces[seam], &self.prepared.pieces[seam + 1]);
        let longer =
            |plan: SeamPlan| WINDOWS.map(|longer| SeamPlan { blend_s: longer * self.config.blend_s, ..plan });
        let others = other_cuts(a, b, self.config.trim_s);
        let with = |cut: [usize; 2], by_hips: bool| longer(SeamPlan { cut: Some(cut), by_hips, ..*plan });
        let mut tries = longer(*plan)[1..].to_vec();
        tries.extend(others.iter().flat_map(|&cut| with(cut, false)));
        if first.is_over(seam) {
            let own = plan.cut.unwrap_or_default();
            tries.extend(std::iter::once(own).chain(others).flat_map(|cut| with(cut, true)));
        }
        tries
    }
}

impl Spliced {
    /// How far a seam is beyond what the sources do: the sum over its momentum, the step over it and what it asks of the legs, each as a part of
    /// its limit. 0 is as in the sources.
    pub(super) fn excess_at(&self, seam: usize) -> f64 {
        let seam = &self.seams[seam];
        let ratios = [seam.body.ratio(&self.sources), seam.after.over(&self.ordinary), seam.strain];
        ratios.iter().zip(WEIGHTS).map(|(ratio, weight)| weight * (ratio - 1.0).max(0.0)).sum()
    }

    /// Whether the hips accelerate beyond the limit at a seam.
    pub(super) fn is_over(&self, seam: usize) -> bool {
        self.seams[seam].body.hips_m_s2 > self.sources.hips_limit_m_s2()
    }

    /// How far all seams together show.
    pub(super) fn excess_sum(&self) -> f64 {
        (0..self.seams.len()).map(|seam| self.excess_at(seam)).sum()
    }
}
