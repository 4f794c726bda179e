//! Good chromosomes of all populations, a few of each kind.

use super::chromosome::{Gene, Marks, Population};
use super::score::Search;
use super::shown::{Run, far, runs};

/// Chromosomes of one kind that are kept: the best, and some that may take its place when kinds shift.
const ALIKE: usize = 6;

/// Entries, the best ones, among which as many as possible are chosen that differ: some milliseconds.
const SPREAD: usize = 256;

/// A chromosome with its marks.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) strands: Vec<Vec<Gene>>,
    /// With every frame looked at.
    pub(super) marks: Marks,
    /// Its nodes by layer.
    pub(super) walks: Vec<Vec<u32>>,
    /// What it shows, by layer.
    pub(super) shows: Vec<Vec<Run>>,
}

impl Entry {
    pub(super) fn new(search: &Search<'_>, strands: Vec<Vec<Gene>>) -> Self {
        let views: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
        let marks = search.exact(&views);
        let nodes = |strand: &Vec<Gene>| strand.iter().map(|gene| gene.node).collect();
        let walks: Vec<Vec<u32>> = strands.iter().map(nodes).collect();
        let library = &search.library;
        let shows = walks.iter().map(|walk| runs(walk.iter().map(|&node| library.run(node)))).collect();
        Self { strands, marks, walks, shows }
    }

    pub(super) fn is_far(&self, other: &Self, distance: f64) -> bool {
        far(&self.shows, &other.shows, distance)
    }
}

/// Good chromosomes met so far, each once. One that differs from all better ones begins a kind; of each kind only a few
/// are kept, so that the many neighbours of one good walk do not crowd out all others.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Best first.
    pub(super) entries: Vec<Entry>,
    /// Places in `entries` of the best of each kind.
    pub(super) kinds: Vec<usize>,
}

impl Pool {
    /// Puts in a chromosome of a population if it is as good as `bar` on every frame, not only on those that a search
    /// looks at.
    pub(super) fn add(&mut self, search: &Search<'_>, population: &Population, slot: usize, bar: f64) {
        let strand = |layer| population.strand(slot, layer);
        let is = |entry: &Entry| {
            entry.walks.iter().enumerate().all(|(layer, walk)| {
                walk.len() == strand(layer).len()
                    && walk.iter().zip(strand(layer)).all(|(&node, gene)| node == gene.node)
            })
        };
        if !self.entries.iter().any(is) {
            let strands: Vec<Vec<Gene>> =
                (0..population.num_layers()).map(|layer| strand(layer).to_vec()).collect();
            let entry = Entry::new(search, strands);
            if entry.marks.f <= bar {
                self.entries.push(entry);
            }
        }
    }

    pub(super) fn put(&mut self, entry: Entry) {
        if self.entries.iter().all(|other| other.walks != entry.walks) {
            self.entries.push(entry);
        }
    }

    /// Finds the kinds, at most `most`, and forgets what is crowded. Where there are fewer than `wanted`, the choice is
    /// made again such that more fit next to each other.
    pub(super) fn sort(&mut self, distance: f64, wanted: usize, most: usize) {
        self.entries.sort_by(|a, b| a.marks.f.total_cmp(&b.marks.f).then_with(|| a.walks.cmp(&b.walks)));
        let mut best: Vec<usize> = Vec::new();
        for (i, entry) in self.entries.iter().enumerate() {
            if best.len() < most && best.iter().all(|&kind| self.entries[kind].is_far(entry, distance)) {
                best.push(i);
            }
        }
        if best.len() < wanted.min(self.entries.len()) {
            let spread = self.spread(distance);
            best = if spread.len() > best.len() { spread } else { best };
        }
        let mut kept: Vec<Entry> = Vec::with_capacity(self.entries.len());
        let mut counts = vec![0; best.len()];
        self.kinds.clear();
        let near = |i: usize| best.iter().position(|&k| !self.entries[k].is_far(&self.entries[i], distance));
        let kind_of: Vec<Option<usize>> = (0..self.entries.len()).map(near).collect();
        for (i, (entry, kind)) in self.entries.drain(..).zip(kind_of).enumerate() {
            let is_best = best.contains(&i);
            let fits = kind.is_some_and(|kind| {
                counts[kind] += 1;
                counts[kind] <= ALIKE
            });
            if is_best {
                self.kinds.push(kept.len());
            }
            if is_best || fits {
                kept.push(entry);
            }
        }
        self.entries = kept;
    }

    /// Entries that are far from each other, as many as fit: the best, then each time the one that is near to the
    /// fewest others.
    fn spread(&self, distance: f64) -> Vec<usize> {
        let n = self.entries.len().min(SPREAD);
        let mut near = vec![Vec::new(); n];
        for i in 0..n {
            for j in 0..i {
                if !self.entries[i].is_far(&self.entries[j], distance) {
                    near[i].push(j);
                    near[j].push(i);
                }
            }
        }
        let mut open = vec![true; n];
        let mut chosen = Vec::new();
        let mut next = (n > 0).then_some(0);
        while let Some(i) = next {
            chosen.push(i);
            open[i] = false;
            near[i].iter().for_each(|&j| open[j] = false);
            let crowd = |i: usize| near[i].iter().filter(|&&j| open[j]).count();
            next = (0..n).filter(|&i| open[i]).min_by_key(|&i| (crowd(i), i));
        }
        chosen.sort_unstable();
        chosen
    }

    /// Places of the best of each kind, and where those are fewer than `count`, of the next best of any kind.
    pub(super) fn filled(&self, count: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = self.kinds.iter().copied().take(count).collect();
        let near: Vec<usize> = (0..self.entries.len()).filter(|i| !chosen.contains(i)).collect();
        let lacking = count - chosen.len();
        chosen.extend(near.into_iter().take(lacking));
        chosen.sort_unstable();
        chosen
    }
}
