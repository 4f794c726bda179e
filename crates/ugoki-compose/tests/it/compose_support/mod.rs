//! Candidates made by hand, rendered.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use ugoki_base::clip::Clip;
use ugoki_compose::compose::{Candidate, Item, RenderConfig, Rendered, Run, Sequence, Source, render};
use ugoki_compose::network::{Layers, Origin};
use ugoki_sample as sample;

pub(crate) fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Clips by number and pieces of them as nodes.
pub(crate) struct Stage {
    pub(crate) clips: BTreeMap<usize, Clip>,
    pub(crate) origins: Vec<Origin>,
}

impl Stage {
    pub(crate) fn new(names: &[&str]) -> Self {
        Self::with_clips(names.iter().map(|name| sample::clip(name).expect("a sample motion")).collect())
    }

    /// Every clip is a node as a whole.
    pub(crate) fn with_clips(clips: Vec<Clip>) -> Self {
        let whole = clips.iter().enumerate().map(|(clip, c)| Origin { clip, frames: c.motion_frames() });
        Self { origins: whole.collect(), clips: clips.into_iter().enumerate().collect() }
    }

    pub(crate) fn node(&mut self, clip: usize, frames: Range<usize>) -> usize {
        self.origins.push(Origin { clip, frames });
        self.origins.len() - 1
    }

    pub(crate) fn fps(&self) -> f64 {
        self.clips[&0].fps()
    }

    /// Nodes one after another, each as captured.
    pub(crate) fn sequence(&self, layer: &str, nodes: &[usize]) -> Sequence {
        let mut at = 0.0;
        let items = nodes.iter().map(|&node| {
            let seconds = self.origins[node].frames.len() as f64 / self.fps();
            let start_s = at;
            at += seconds;
            Item {
                node,
                start_s,
                end_s: at,
                enter_s: 0.0,
                leave_s: seconds,
                whole_s: seconds,
                speed: 1.0,
                held_s: 0.0,
                cost: 0.0,
                key: None,
                shows: Run::new(&self.origins, node),
            }
        });
        Sequence { layer: layer.to_owned(), items: items.collect() }
    }

    pub(crate) fn render(&self, layers: &Layers, sequences: Vec<Sequence>) -> Rendered {
        let seconds = sequences.iter().flat_map(|s| &s.items).map(|item| item.end_s).fold(0.0, f64::max);
        render(
            &candidate(sequences),
            layers,
            &self.origins,
            &sources(&self.clips),
            seconds,
            &RenderConfig::default(),
            &mut go,
        )
        .expect("a motion")
    }
}

pub(crate) fn sources(clips: &BTreeMap<usize, Clip>) -> BTreeMap<usize, Source> {
    clips.iter().map(|(&number, clip)| (number, Source::new(clip.clone()))).collect()
}

pub(crate) fn candidate(layers: Vec<Sequence>) -> Candidate {
    Candidate {
        f: 0.0,
        f1: 0.0,
        f2: 0.0,
        f3: 0.0,
        extras: Vec::new(),
        tempo_change: 0.0,
        layers,
        keys: Vec::new(),
    }
}
