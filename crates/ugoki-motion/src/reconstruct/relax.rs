//! Distance constraints between particles, relaxed by moving both ends of each [jakobsen2001].

use glam::Vec3;

/// A distance to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Link {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) length: f32,
}

/// Distances under this, metres, give no direction to move in.
const TOGETHER: f32 = 1e-9;

/// Moves particles until links have their lengths, at most `sweeps` times over all of them, or until no link is off by more
/// than `enough` metres. `ease` is each particle's inverse mass; 0 holds it. Gives the largest error met in the last sweep.
pub(super) fn relax(links: &[Link], ease: &[f32], positions: &mut [Vec3], sweeps: usize, enough: f32) -> f32 {
    let mut worst = 0.0_f32;
    for _ in 0..sweeps {
        worst = 0.0;
        for link in links {
            let total = ease[link.a] + ease[link.b];
            let across = positions[link.b] - positions[link.a];
            let distance = across.length();
            let error = distance - link.length;
            worst = worst.max(error.abs());
            if total == 0.0 || distance < TOGETHER {
                continue;
            }
            let step = across * (error / (distance * total));
            positions[link.a] += step * ease[link.a];
            positions[link.b] -= step * ease[link.b];
        }
        if worst <= enough {
            break;
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn held_particles_stay_and_free_ones_keep_the_centre_of_mass(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 4..8), lengths in prop::collection::vec(0.1..1.0_f32, 8),
        ) {
            let start: Vec<Vec3> = points.into_iter().map(Vec3::from_array).collect();
            let links: Vec<Link> = (1..start.len()).map(|b| Link { a: b - 1, b, length: lengths[b % 8] }).collect();
            let mut free = start.clone();
            relax(&links, &vec![1.0; start.len()], &mut free, 20, 0.0);
            let centre = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f32;
            prop_assert!(centre(&start).distance(centre(&free)) < 1e-5);
            let mut ease = vec![1.0; start.len()];
            ease[0] = 0.0;
            let mut held = start.clone();
            // A chain held at one end can always be put right.
            let worst = relax(&links, &ease, &mut held, 4000, 1e-6);
            prop_assert_eq!(held[0], start[0]);
            prop_assert!(worst < 1e-3, "{worst}");
        }
    }
}
