//! What this machine can do just now: the bounds that other figures are held against.

use std::hint::black_box;

use crate::clock::Bench;

/// Bytes copied at once; far beyond the caches.
const COPY: usize = 64 << 20;
/// Numbers in the text that is parsed.
const NUMBERS: usize = 10_000;
/// Independent sums of eight lanes, enough to keep every arithmetic unit busy and few enough for the registers.
const SUMS: usize = 8;
const TURNS: usize = 1000;

pub(crate) fn measure(bench: &mut Bench) {
    let from = vec![1u8; COPY];
    let mut to = vec![0u8; COPY];
    bench.measure("machine.copy", COPY, COPY as f64, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    let text: String = (0..NUMBERS).map(|i| format!("{:.4} ", (i as f64 * 0.37).sin() * 90.0)).collect();
    bench.measure("machine.parse", NUMBERS, NUMBERS as f64, || {
        black_box(parsed(black_box(text.as_bytes())));
    });
    let mut sums = [[0.0f32; 8]; SUMS];
    let operations = (TURNS * SUMS * 8 * 2) as f64;
    bench.measure("machine.arithmetic", TURNS, operations, || {
        multiply_and_add(&mut sums, black_box(1.000_1), black_box(0.5));
        black_box(&mut sums);
    });
}

/// The sum of numbers between single blanks.
fn parsed(mut text: &[u8]) -> f64 {
    let mut sum = 0.0;
    while let Ok((number, letters)) = fast_float2::parse_partial::<f64, _>(text) {
        sum += number;
        text = text.get(letters + 1..).unwrap_or_default();
    }
    sum
}

/// A product and a sum of every lane, as wide as the processor has it.
fn multiply_and_add(sums: &mut [[f32; 8]; SUMS], a: f32, b: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[allow(unsafe_code, reason = "the processor has just been asked for AVX2 and FMA")]
        // SAFETY: both features were detected.
        return unsafe { wide(sums, a, b) };
    }
    for _ in 0..TURNS {
        for lane in sums.as_flattened_mut() {
            *lane = *lane * a + b;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn wide(sums: &mut [[f32; 8]; SUMS], a: f32, b: f32) {
    let mut own = *sums;
    for _ in 0..TURNS {
        for lanes in &mut own {
            for lane in lanes {
                *lane = lane.mul_add(a, b);
            }
        }
    }
    *sums = own;
}
