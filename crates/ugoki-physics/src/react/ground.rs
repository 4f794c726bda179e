//! The ground under the body: which corners and links are near it, and what it allows them.
//!
//! A foot that the target plants stands on the target's own ground: each corner may not sink under the height that the
//! target's corner has, and slides with it. So an undisturbed body repeats the capture, whatever its floor and its
//! soles are like; a disturbed foot may tip and lift off, and stands where it came down (its *anchor*). Everything else
//! meets the floor.

use glam::{DQuat, DVec2, DVec3};
use ugoki_feet::contact::Floor;

use super::blocks::{Block, height, rise};
use super::rows::{Group, Kind, Row, Rows};
use super::soles::{Bump, Sole, TOE};
use crate::dynamics::{Body, Kinematics, SupportPolygon};

/// Where a planted foot stands against the target's: turned about the vertical, then moved in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchor {
    pub(super) turn: DQuat,
    pub(super) shift: DVec3,
    /// Whether the foot stands.
    pub(super) set: bool,
}

impl Anchor {
    pub(super) const NONE: Self = Self { turn: DQuat::IDENTITY, shift: DVec3::ZERO, set: false };

    pub(super) fn place(&self, p: DVec3) -> DVec3 {
        self.turn * p + self.shift
    }
}

/// What the ground needs to know.
pub(super) struct Scene<'a> {
    pub(super) body: &'a Body,
    /// The body as it is.
    pub(super) here: &'a Kinematics,
    /// The target at the same time, moving as it will in this step.
    pub(super) target: &'a Kinematics,
    pub(super) soles: &'a [Sole; 2],
    pub(super) bumps: &'a [Bump],
    /// Parts of each foot that the target plants.
    pub(super) schedule: [u8; 2],
    pub(super) floor: &'a Floor,
    /// Fixed boxes on it.
    pub(super) blocks: &'a [Block],
    pub(super) dt: f64,
    /// A falling body has left the target's ground.
    pub(super) falling: bool,
}

/// A corner this near above its ground touches, m.
const TOUCH: f64 = 0.004;
/// Contacts that will be farther than this from the ground after the step are left out, m.
const NEAR: f64 = 0.005;
/// The floor gives way to links that the target itself has under it by this much more, m.
const SLACK: f64 = 0.01;
/// Fraction of an overlap that one step corrects, and the greatest speed of doing so, m/s.
const BACK: f64 = 0.2;
const BACK_SPEED: f64 = 0.3;
/// Costs of forces in the sharing: toes are weak, and twisting friction acts on a short lever.
const TIP_COST: f64 = 4.0;
const SPIN_COST: f64 = 100.0;

/// Lowest speed at which a point `gap` above its ground may rise.
fn allowed(gap: f64, dt: f64) -> f64 {
    if gap > 0.0 { -gap / dt } else { (-gap * BACK / dt).min(BACK_SPEED) }
}

/// Turn about the vertical nearest to `q`.
fn heading(q: DQuat) -> DQuat {
    let n = q.y.hypot(q.w);
    if n < 1e-9 { DQuat::IDENTITY } else { DQuat::from_xyzw(0.0, q.y / n, 0.0, q.w / n) }
}

/// What the target's own lack of ground may vary by: fraction of the weight as a force, and as a moment with this
/// lever, m.
pub(super) const ASSIST_FORCE: f64 = 0.05;
pub(super) const ASSIST_LEVER: f64 = 0.02;
/// Assistance is used only for what the ground cannot give.
const ASSIST_COST: f64 = 1e3;

/// Rows on the root where the target itself has no ground to spare; `slack` from 0 to 1.
pub(super) fn assist_rows(scene: &Scene<'_>, slack: f64, weight: f64, rows: &mut Rows) {
    if slack <= 0.0 || !rows.has_room(6) {
        return;
    }
    let at = scene.here.link(0).position;
    for along in [DVec3::X, DVec3::Y, DVec3::Z] {
        let bound = slack * weight * ASSIST_FORCE;
        let row = Row {
            kind: Kind::Assist,
            group: 0,
            at,
            bears: at,
            along,
            speed: 0.0,
            carries: true,
            cost: ASSIST_COST,
            bound,
        };
        rows.push_point(scene.body, scene.here, 0, row);
        let (cost, bound) = (ASSIST_COST / (0.3 * 0.3), slack * weight * ASSIST_LEVER);
        rows.push_spin(scene.body, scene.here, 0, Row { cost, bound, ..row });
    }
}

/// Fills `rows` with all contacts; feet that come down get their anchors.
pub(super) fn find_rows(scene: &Scene<'_>, anchors: &mut [Anchor; 2], rows: &mut Rows) {
    rows.clear();
    for (foot, anchor) in anchors.iter_mut().enumerate() {
        foot_rows(scene, foot, anchor, rows);
    }
    for bump in scene.bumps {
        bump_rows(scene, bump, rows);
    }
}

fn foot_rows(scene: &Scene<'_>, foot: usize, anchor: &mut Anchor, rows: &mut Rows) {
    let sole = &scene.soles[foot];
    let schedule = if scene.falling { 0 } else { scene.schedule[foot] };
    if schedule == 0 {
        anchor.set = false;
    }
    if !rows.has_room(sole.corners.len() + 3) {
        return;
    }
    // A body on tiptoe must rely on the toes.
    let toes = if schedule == TOE { 1.0 } else { toes_reach(scene, sole) };
    let group = rows.groups.len();
    let (mut centre, mut count, mut carries) = (DVec3::ZERO, 0.0, false);
    let first = rows.len();
    let (up, over) = rise_under(scene, sole);
    for corner in &sole.corners {
        let (here, there) = (scene.here.link(corner.link), scene.target.link(corner.link));
        let (at, target) = (here.point(corner.point), there.point(corner.point));
        let planted = schedule & corner.part != 0;
        let floor = scene.floor.height_at(at.x, at.z) + over;
        let (ground, rise) = if planted {
            (target.y + up, there.point_velocity(corner.point).y)
        } else if scene.falling {
            (floor, 0.0)
        } else {
            // Where the target will be counts: what is led down fast must not be stopped by where it was.
            let end = target.y + there.point_velocity(corner.point).y * scene.dt;
            (floor.min(target.y.min(end) + up - SLACK), 0.0)
        };
        let gap = at.y - ground;
        let next = gap + (here.point_velocity(corner.point).y - rise) * scene.dt;
        if gap.min(next) > NEAR {
            continue;
        }
        let touches = planted && gap < TOUCH;
        // What touches closes its gap softly, as the controller plans; a corner in the air may come down at once.
        let speed =
            rise + if touches { (-gap * BACK / scene.dt).min(BACK_SPEED) } else { allowed(gap, scene.dt) };
        let row = Row {
            kind: Kind::Normal,
            group,
            at,
            bears: if corner.link == sole.foot { at } else { here.position.lerp(at, toes) },
            along: DVec3::Y,
            speed,
            carries: touches,
            cost: if corner.tip { TIP_COST } else { 1.0 },
            bound: 0.0,
        };
        rows.push_point(scene.body, scene.here, corner.link, row);
        centre += at;
        count += 1.0;
        carries |= touches;
    }
    if count == 0.0 {
        return;
    }
    centre /= count;
    let spread: f64 = rows.list[first..].iter().map(|row| row.at.distance(centre)).sum::<f64>() / count;
    rows.groups.push(Group { foot: Some(foot), lever: spread.max(0.01) });
    // Friction for the sole as a whole, at the middle of what is near the ground.
    let (here, there) = (scene.here.link(sole.foot), scene.target.link(sole.foot));
    let local = here.matrix.transpose() * (centre - here.position);
    let (target, moves) = (there.point(local), there.point_velocity(local));
    if carries && !anchor.set {
        anchor.turn = heading(here.rotation * there.rotation.conjugate());
        anchor.shift = centre - anchor.turn * target;
        anchor.shift.y = up;
        anchor.set = true;
    }
    let held = schedule != 0 && anchor.set;
    let (mut off, mut speed, mut spin_off, mut spin) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
    if held {
        off = centre - anchor.place(target);
        speed = anchor.turn * moves;
        let turned = heading(here.rotation * (anchor.turn * there.rotation).conjugate());
        spin_off = 2.0 * turned.y.atan2(turned.w);
        spin_off -= std::f64::consts::TAU * (spin_off / std::f64::consts::TAU).round();
        spin = there.velocity.ang.y;
    }
    let row = |kind, along: DVec3, speed: f64, off: f64, cost| Row {
        kind,
        group,
        at: centre,
        bears: centre,
        along,
        speed: speed - BACK * off / scene.dt,
        carries,
        cost,
        bound: 0.0,
    };
    for along in [DVec3::X, DVec3::Z] {
        let row = row(Kind::Slide, along, speed.dot(along), off.dot(along), 1.0);
        rows.push_point(scene.body, scene.here, sole.foot, row);
    }
    rows.push_spin(scene.body, scene.here, sole.foot, row(Kind::Spin, DVec3::Y, spin, spin_off, SPIN_COST));
}

/// How much higher a foot's ground is than under the target's, and how far it rises over the floor, m: under the middle
/// of the sole, so that one that reaches over an edge stands wholly or not at all.
fn rise_under(scene: &Scene<'_>, sole: &Sole) -> (f64, f64) {
    if scene.blocks.is_empty() {
        return (0.0, 0.0);
    }
    let here = sole.middle(scene.here);
    (
        rise(scene.blocks, scene.floor, here, sole.middle(scene.target)),
        height(scene.blocks, scene.floor, here),
    )
}

/// Fraction of the toes' length up to which their flexors bear what comes on one foot.
fn toes_reach(scene: &Scene<'_>, sole: &Sole) -> f64 {
    let Some(tip) = sole.corners.iter().find(|corner| corner.link != sole.foot) else { return 1.0 };
    let feet = scene.schedule.iter().filter(|&&parts| parts != 0).count().max(1) as f64;
    let weight = scene.body.mass() * scene.body.gravity().length() / feet;
    let flexors = scene.body.link(tip.link).strength.negative.x;
    (flexors / (weight * tip.point.length().max(1e-3))).min(1.0)
}

fn bump_rows(scene: &Scene<'_>, bump: &Bump, rows: &mut Rows) {
    let pose = scene.here.link(bump.link);
    let at = pose.point(bump.point) - DVec3::Y * bump.radius;
    let mut ground = scene.floor.height_at(at.x, at.z);
    if !scene.falling {
        let there = scene.target.link(bump.link);
        let target = there.point(bump.point).y - bump.radius;
        let end = target + there.point_velocity(bump.point).y * scene.dt;
        ground = ground.min(target.min(end) - SLACK);
    }
    let gap = at.y - ground;
    let next = gap + pose.point_velocity(bump.point).y * scene.dt;
    if gap.min(next) > NEAR || !rows.has_room(3) {
        return;
    }
    let group = rows.groups.len();
    rows.groups.push(Group { foot: None, lever: 0.0 });
    let ways = if bump.rubs { 3 } else { 1 };
    for along in [DVec3::Y, DVec3::X, DVec3::Z].into_iter().take(ways) {
        let normal = along == DVec3::Y;
        let speed = if normal { allowed(gap, scene.dt) } else { 0.0 };
        let kind = if normal { Kind::Normal } else { Kind::Slide };
        let row = Row { kind, group, at, bears: at, along, speed, carries: false, cost: 1.0, bound: 0.0 };
        rows.push_point(scene.body, scene.here, bump.link, row);
    }
}

/// A foot that slipped stands where it is now.
pub(super) fn release(scene: &Scene<'_>, foot: usize, anchor: &mut Anchor) {
    let sole = &scene.soles[foot];
    let (here, there) = (scene.here.link(sole.foot), scene.target.link(sole.foot));
    anchor.turn = heading(here.rotation * there.rotation.conjugate());
    anchor.shift = here.position - anchor.turn * there.position;
    anchor.shift.y = rise_under(scene, sole).0;
}

/// Where the ZMP can be brought: the hull of what bears, and the target's own ZMP; and the contacts' mean height.
///
/// `trust` from 0 to 1 is how far weak toes are counted on beyond what their muscles bear: all of it counts where the
/// body is held by them at present.
pub(super) fn bearing(rows: &Rows, own: DVec2, trust: f64) -> (SupportPolygon, f64) {
    let (_, height) = support(rows);
    let carrying = rows.list.iter().filter(|row| row.carries && row.kind == Kind::Normal);
    let place = |row: &Row| row.bears.lerp(row.at, trust);
    let mut points = carrying.map(place).map(|p| DVec2::new(p.x, p.z)).peekable();
    if points.peek().is_none() {
        return (SupportPolygon::EMPTY, height);
    }
    (SupportPolygon::hull(points.chain([own])), height)
}

/// The hull of the contacts that carry and their mean height.
pub(super) fn support(rows: &Rows) -> (SupportPolygon, f64) {
    hull_of(rows, |row, _| row.carries)
}

/// The hull of the contacts that carry or were pressed in the last step, feet that come down and other links too, and
/// their mean height.
pub(super) fn pressed(rows: &Rows, force: &[f64]) -> (SupportPolygon, f64) {
    hull_of(rows, |row, i| row.carries || force[i] > 0.0)
}

fn hull_of(rows: &Rows, which: impl Fn(&Row, usize) -> bool) -> (SupportPolygon, f64) {
    let of = || {
        rows.list
            .iter()
            .enumerate()
            .filter(|(i, row)| row.kind == Kind::Normal && which(row, *i))
            .map(|(_, row)| row)
    };
    let polygon = SupportPolygon::hull(of().map(|row| DVec2::new(row.at.x, row.at.z)));
    let (sum, count) = of().fold((0.0, 0.0), |(sum, count), row| (sum + row.at.y, count + 1.0));
    (polygon, if count > 0.0 { sum / count } else { 0.0 })
}
