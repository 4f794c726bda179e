//! Walks that were found already, from which a population keeps away.
//!
//! A population comes together at one walk. The next one searches elsewhere: what has too many clips in common with a
//! walk that was found is as bad as one that is late. The edit distance of every chromosome from every walk would cost
//! more than the rest of a generation; clips in common are counted instead, one look into a table for each gene.

use super::Library;
use super::chromosome::Gene;

/// Walks at most: one bit each.
const MOST: usize = 64;

/// Walks to keep away from.
#[derive(Debug, Default)]
pub(super) struct Tabu {
    /// By layer and node: which walks show the same there.
    marks: Vec<Vec<u64>>,
    /// By walk and layer: how many genes it has.
    lens: Vec<Vec<usize>>,
    /// Fraction of genes that may be common.
    allowed: f32,
}

impl Tabu {
    /// Keeps away from these walks, nodes by layer.
    pub(super) fn new(library: &Library<'_>, walks: &[&Vec<Vec<u32>>], distance: f64) -> Self {
        let walks = &walks[..walks.len().min(MOST)];
        let n = library.nodes.len();
        let mut marks = vec![vec![0_u64; n]; library.networks.len()];
        for (number, walk) in walks.iter().enumerate() {
            for (marks, nodes) in marks.iter_mut().zip(walk.iter()) {
                nodes.iter().for_each(|&node| marks[node as usize] |= 1 << number);
                if library.origins.is_empty() {
                    continue;
                }
                let shown: Vec<_> = nodes.iter().map(|&node| library.run(node)).collect();
                for (node, mark) in marks.iter_mut().enumerate() {
                    let own = library.run(node as u32);
                    *mark |= u64::from(shown.iter().any(|run| run.is_like(own))) << number;
                }
            }
        }
        let lens = walks.iter().map(|walk| walk.iter().map(Vec::len).collect()).collect();
        Self { marks, lens, allowed: (1.0 - distance) as f32 + 1e-6 }
    }

    /// By what fraction more than allowed a chromosome is one of the walks; 0 where it is far enough from all.
    #[inline]
    pub(super) fn nearness(&self, strands: &[&[Gene]]) -> f32 {
        if self.lens.is_empty() {
            return 0.0;
        }
        let mut fractions = [0.0_f32; MOST];
        for (layer, strand) in strands.iter().enumerate() {
            let mut counts = [0_u32; MOST];
            for gene in *strand {
                let mut mark = self.marks[layer][gene.node as usize];
                while mark != 0 {
                    counts[mark.trailing_zeros() as usize] += 1;
                    mark &= mark - 1;
                }
            }
            for (number, lens) in self.lens.iter().enumerate() {
                fractions[number] += counts[number] as f32 / strand.len().max(lens[layer]).max(1) as f32;
            }
        }
        let most = fractions[..self.lens.len()].iter().copied().fold(0.0, f32::max);
        (most / strands.len() as f32 - self.allowed).max(0.0)
    }
}
