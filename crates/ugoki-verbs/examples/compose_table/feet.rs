//! What feet do that the clips do not: every glide, with the clips that meet there.

use std::collections::BTreeMap;

use ugoki::compose::{Rendered, Source, Timeline, footwork};
use ugoki::network::{Catalogue, Layers};

use super::{Failure, Stock, each_found};

/// Glides shorter than this are not listed, metres.
const LISTED_M: f64 = 0.02;

/// The glides of every candidate on one and on two layers.
pub(crate) fn glides(stock: &Stock, timeline: &Timeline) -> Result<(), Failure> {
    for layers in [Layers::full(), Layers::upper_lower()] {
        each_found(stock, layers, timeline, &mut |found| {
            list(found.catalogue, found.motion, &stock.sources, &found.label);
            Ok(())
        })?;
    }
    Ok(())
}

fn list(catalogue: &Catalogue, motion: &Rendered, sources: &BTreeMap<usize, Source>, label: &str) {
    let spread = (0.3 * motion.clip.fps()).round() as usize;
    let Some(feet) = footwork(motion, sources, spread) else { return };
    println!(
        "{label}: skate {:.2} ({:.2}), at seams {:.2} ({:.2}) cm/s; glides {:.2} ({:.2}) m, worst {:.1} cm at {:.2} s",
        100.0 * feet.skate_m_s[0],
        100.0 * feet.skate_m_s[1],
        100.0 * feet.skate_at_seams_m_s[0],
        100.0 * feet.skate_at_seams_m_s[1],
        feet.glide_m[0],
        feet.glide_m[1],
        100.0 * feet.worst_m,
        feet.worst_s
    );
    for glide in ugoki::compose::glides(motion, sources).iter().filter(|glide| glide.way_m > LISTED_M) {
        let middle = (glide.frames.start + glide.frames.end) / 2;
        let stepping = &catalogue.layers().layers()[catalogue.layers().stepping()].name;
        let seam = motion
            .seams
            .iter()
            .filter(|seam| seam.layer == *stepping)
            .min_by_key(|seam| seam.frame.abs_diff(middle));
        let stands = |frame: usize| {
            let played = &motion.played[frame.min(motion.played.len() - 1)];
            let foot = &sources[&played.clip].steps.as_ref().expect("legs").contacts.feet[glide.side];
            let at = played.frame.round() as usize;
            let set = |list: &[std::ops::Range<usize>]| list.iter().any(|range| range.contains(&at));
            match (set(&foot.heel), set(&foot.toe)) {
                (true, true) => 'F',
                (true, false) => 'h',
                (false, true) => 't',
                (false, false) => '.',
            }
        };
        let held = motion.contacts.as_ref().map_or(String::new(), |contacts| {
            let about = glide.frames.start.saturating_sub(12)..glide.frames.end + 12;
            about.map(|f| if contacts.feet[glide.side].touches(f) { '#' } else { '-' }).collect()
        });
        let about: String = (glide.frames.start.saturating_sub(12)..glide.frames.end + 12)
            .map(|f| {
                let cut =
                    f > 0 && f < motion.played.len() && motion.played[f].run != motion.played[f - 1].run;
                if cut { format!("|{}", stands(f)) } else { stands(f).to_string() }
            })
            .collect();
        let name = |node: usize| &catalogue.nodes()[node].name;
        println!(
            "    {} {:.2}–{:.2} s {:.1} cm; {}\n      {about}\n      {held}",
            ["left", "right"][glide.side],
            glide.frames.start as f64 / motion.clip.fps(),
            glide.frames.end as f64 / motion.clip.fps(),
            100.0 * glide.way_m,
            seam.map_or(String::new(), |s| format!("seam {:.2} s {} → {}", s.at_s, name(s.from), name(s.to))),
        );
    }
}
