//! Euler angles in degrees to quaternions, sixteen frames at a time.
//!
//! Angles are reduced in f64, where taking off whole half-turns is exact; sine and cosine of the half
//! angle are then polynomials on ±π/4 in f32 and the three factors are multiplied out. Loops run over
//! plain arrays without branches, so the compiler makes them as wide as the machine; no step is
//! contracted, so every machine gives the same bits. Against f64 each component is within
//! [`BATCH_ERROR`], as the tests measure.

use ugoki_base::math::{Axis, EulerOrder};

/// Frames converted together.
pub(super) const LANES: usize = 16;

/// Largest difference of a component from the exact quaternion; three rounded sines and cosines and
/// their products, 2⁻²⁴ each, sum to this.
#[cfg(test)]
const BATCH_ERROR: f64 = 3e-7;

/// One joint's rotation columns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// No rotation channels.
    None,
    /// One to three different axes: columns of the angles, in file order, padded with axes that stay 0.
    Plain { columns: [Option<usize>; 3], axes: [usize; 3], odd: bool },
    /// Repeated axes or more than three channels: multiplied out one by one.
    Any { first: usize, last: usize },
}

/// Adding this rounds a f64 below 2⁵¹ to an integer, left in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// Sines and cosines of half the angles.
struct Halves {
    sin: [f32; LANES],
    cos: [f32; LANES],
}

/// The frames `rows` (at most [`LANES`] rows of `width` numbers) of one column.
#[inline(always)]
fn halves(rows: &[f64], width: usize, column: usize) -> Halves {
    let mut reduced = [0.0f32; LANES];
    let mut half_turns = [0i32; LANES];
    if rows.len() == LANES * width {
        for lane in 0..LANES {
            (reduced[lane], half_turns[lane]) = reduce(rows[lane * width + column]);
        }
    } else {
        for (lane, row) in rows.chunks_exact(width).enumerate() {
            (reduced[lane], half_turns[lane]) = reduce(row[column]);
        }
    }
    let mut out = Halves { sin: [0.0; LANES], cos: [0.0; LANES] };
    for lane in 0..LANES {
        (out.sin[lane], out.cos[lane]) = sin_cos(reduced[lane], half_turns[lane]);
    }
    out
}

/// Half of `degrees` as radians within ±π/4 and the quarter turns taken off.
#[inline(always)]
fn reduce(degrees: f64) -> (f32, i32) {
    let shifted = degrees * (1.0 / 180.0) + ROUND;
    let half_turns = shifted - ROUND;
    let rest = degrees - half_turns * 180.0;
    ((rest * (std::f64::consts::PI / 360.0)) as f32, shifted.to_bits() as i32)
}

/// Sine and cosine of `x + quarters · π/2`, `x` within ±π/4; coefficients of the Cephes library's
/// single-precision `sinf` and `cosf`, minimax on this range.
#[inline(always)]
fn sin_cos(x: f32, quarters: i32) -> (f32, f32) {
    let z = x * x;
    let sin = x + x * z * (-1.666_665_5e-1 + z * (8.332_161e-3 + z * -1.951_529_6e-4));
    let cos = 1.0 - 0.5 * z + z * z * (4.166_664_6e-2 + z * (-1.388_731_6e-3 + z * 2.443_315_7e-5));
    let quarters = quarters as u32;
    let swap = (quarters & 1).wrapping_neg();
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let first = (s & !swap) | (c & swap);
    let second = (c & !swap) | (s & swap);
    let first_sign = (quarters & 2) << 30;
    let second_sign = (quarters.wrapping_add(1) & 2) << 30;
    (f32::from_bits(first ^ first_sign), f32::from_bits(second ^ second_sign))
}

const NOTHING: Halves = Halves { sin: [0.0; LANES], cos: [1.0; LANES] };

/// [`halves`] of a column that may be missing.
#[inline(always)]
fn take(rows: &[f64], width: usize, column: Option<usize>) -> Halves {
    match column {
        Some(column) => halves(rows, width, column),
        None => NOTHING,
    }
}

/// Quaternions of up to [`LANES`] rows, into `out` (x, y, z, w), each as long as there are rows.
#[inline(always)]
pub(super) fn convert(
    rows: &[f64],
    width: usize,
    turn: &Turn,
    columns: &[(usize, Axis)],
    mut out: [&mut [f32]; 4],
) {
    match *turn {
        Turn::None => {
            let [x, y, z, w] = out;
            x.fill(0.0);
            y.fill(0.0);
            z.fill(0.0);
            w.fill(1.0);
        }
        Turn::Plain { columns: [a, b, c], axes, odd } => {
            let (a, b, c) = (take(rows, width, a), take(rows, width, b), take(rows, width, c));
            let out = &mut out;
            if odd { product::<true>(&a, &b, &c, axes, out) } else { product::<false>(&a, &b, &c, axes, out) }
        }
        Turn::Any { first, last } => {
            let [x, y, z, w] = out;
            for (lane, row) in rows.chunks_exact(width).enumerate() {
                let q = columns[first..last].iter().fold(glam::DQuat::IDENTITY, |q, (column, axis)| {
                    q * axis.rotation((row[*column] % 720.0).to_radians())
                });
                [x[lane], y[lane], z[lane], w[lane]] = q.as_quat().to_array();
            }
        }
    }
}

/// `a·b·c` for rotations about three different axes i, j, k; `ODD` when i, j, k is an odd permutation.
#[inline(always)]
fn product<const ODD: bool>(
    a: &Halves,
    b: &Halves,
    c: &Halves,
    [i, j, k]: [usize; 3],
    out: &mut [&mut [f32]; 4],
) {
    let mut q = [[0.0f32; LANES]; 4];
    #[expect(clippy::needless_range_loop, reason = "ten arrays step together")]
    for lane in 0..LANES {
        let (sa, ca) = (a.sin[lane], a.cos[lane]);
        let (sb, cb) = (b.sin[lane], b.cos[lane]);
        // An odd order is the even one seen in a mirror: the last angle's cross terms change sign.
        let (sc, cc) = (c.sin[lane], c.cos[lane]);
        let (cacb, sasb, sacb, casb) = (ca * cb, sa * sb, sa * cb, ca * sb);
        if ODD {
            q[0][lane] = sacb * cc - casb * sc;
            q[1][lane] = casb * cc + sacb * sc;
            q[2][lane] = cacb * sc - sasb * cc;
            q[3][lane] = cacb * cc + sasb * sc;
        } else {
            q[0][lane] = sacb * cc + casb * sc;
            q[1][lane] = casb * cc - sacb * sc;
            q[2][lane] = cacb * sc + sasb * cc;
            q[3][lane] = cacb * cc - sasb * sc;
        }
    }
    let n = out[0].len();
    out[i].copy_from_slice(&q[0][..n]);
    out[j].copy_from_slice(&q[1][..n]);
    out[k].copy_from_slice(&q[2][..n]);
    out[3].copy_from_slice(&q[3][..n]);
}

/// The way to convert a joint with these rotation columns; `first` is where they start in the full list.
pub(super) fn plan(columns: &[(usize, Axis)], first: usize) -> Turn {
    if columns.is_empty() {
        return Turn::None;
    }
    let axes: Vec<Axis> = columns.iter().map(|c| c.1).collect();
    let different = (0..axes.len()).all(|i| !axes[..i].contains(&axes[i]));
    if !different {
        return Turn::Any { first, last: first + columns.len() };
    }
    let order = full_order(&axes);
    let padded: [usize; 3] = std::array::from_fn(|i| order.axes()[i].index());
    let odd = (padded[0] + 1) % 3 != padded[1];
    Turn::Plain { columns: std::array::from_fn(|i| columns.get(i).map(|c| c.0)), axes: padded, odd }
}

/// `axes`, which are different, and after them those of X, Y, Z that are missing.
pub(super) fn full_order(axes: &[Axis]) -> EulerOrder {
    let mut all = axes.to_vec();
    all.extend([Axis::X, Axis::Y, Axis::Z].into_iter().filter(|axis| !axes.contains(axis)));
    EulerOrder::new(&all[..3]).expect("three axes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, Quat};
    use proptest::prelude::*;

    const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    fn one(angles: &[f64], axes: &[Axis]) -> Quat {
        let columns: Vec<(usize, Axis)> = axes.iter().copied().enumerate().collect();
        let turn = plan(&columns, 0);
        let mut out = [[0.0f32; 1]; 4];
        let [x, y, z, w] = &mut out;
        convert(angles, angles.len(), &turn, &columns, [x, y, z, w]);
        Quat::from_xyzw(x[0], y[0], z[0], w[0])
    }

    fn exact(angles: &[f64], axes: &[Axis]) -> DQuat {
        axes.iter().zip(angles).fold(DQuat::IDENTITY, |q, (axis, a)| q * axis.rotation(a.to_radians()))
    }

    fn angle() -> impl Strategy<Value = f64> {
        prop_oneof![-400.0..400.0, -1e6..1e6, Just(0.0), Just(90.0), Just(-180.0), Just(360.0), -1e-9..1e-9]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn batches_agree_with_the_exact_product(
            angles in prop::array::uniform3(angle()), axes in prop::collection::vec(0..3usize, 1..=3),
        ) {
            let axes: Vec<Axis> = axes.into_iter().map(|i| ALL[i]).collect();
            let q = one(&angles[..axes.len()], &axes).to_array();
            let e = exact(&angles[..axes.len()], &axes);
            let difference = |sign: f64| (0..4)
                .map(|i| (f64::from(q[i]) * sign - e.to_array()[i]).abs())
                .fold(0.0, f64::max);
            // Radians of 1e6 degrees are themselves only good to 1e-10.
            prop_assert!(difference(1.0).min(difference(-1.0)) < BATCH_ERROR, "{axes:?} {angles:?} {q:?} {e}");
        }
    }

    #[test]
    fn sine_and_cosine_are_within_two_units_in_the_last_place_of_one() {
        let mut worst = 0.0f64;
        for step in -200_000..=200_000 {
            let degrees = f64::from(step) * 0.00371;
            let (x, quarters) = reduce(degrees);
            let (sin, cos) = sin_cos(x, quarters);
            let half = (0.5 * degrees).to_radians();
            worst = worst.max((f64::from(sin) - half.sin()).abs()).max((f64::from(cos) - half.cos()).abs());
        }
        assert!(worst < 1.2e-7, "{worst}");
    }

    #[test]
    fn full_blocks_and_remainders_give_the_same_bits() {
        let columns: Vec<(usize, Axis)> = vec![(0, Axis::Z), (1, Axis::X), (2, Axis::Y)];
        let turn = plan(&columns, 0);
        let rows: Vec<f64> = (0..3 * LANES).map(|i| (i as f64 * 37.7) % 500.0 - 250.0).collect();
        let mut block = [[0.0f32; LANES]; 4];
        let [x, y, z, w] = &mut block;
        convert(&rows, 3, &turn, &columns, [x, y, z, w]);
        for lane in 0..LANES {
            let q = one(&rows[3 * lane..3 * lane + 3], &[Axis::Z, Axis::X, Axis::Y]);
            assert_eq!(q.to_array(), [block[0][lane], block[1][lane], block[2][lane], block[3][lane]]);
        }
    }
}
