//! One array as a `.npy` file of version 1.0: magic, a Python dictionary as text, the numbers.

/// Bytes that the header is padded to, so that numbers are aligned as numpy requires.
const ALIGN: usize = 64;

/// The start of a `.npy` file. `kind` is numpy's type string such as `<f4`.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    // A tuple of one has a comma after it.
    let sides: Vec<String> = shape.iter().map(|side| format!("{side},")).collect();
    let shape =
        if sides.len() == 1 { sides[0].clone() } else { sides.join(" ").trim_end_matches(',').to_owned() };
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    const BEFORE: usize = 10;
    let padded = (BEFORE + text.len() + 1).next_multiple_of(ALIGN) - BEFORE;
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((padded as u16).to_le_bytes());
    out.extend(text.as_bytes());
    out.resize(BEFORE + padded - 1, b' ');
    out.push(b'\n');
    out
}

/// 32-bit floats.
pub(super) fn floats(shape: &[usize], values: impl Iterator<Item = f32>) -> Vec<u8> {
    let mut out = header("<f4", shape);
    out.reserve_exact(4 * shape.iter().product::<usize>());
    out.extend(values.flat_map(f32::to_le_bytes));
    out
}

/// One 64-bit float without dimensions.
pub(super) fn number(value: f64) -> Vec<u8> {
    let mut out = header("<f8", &[]);
    out.extend(value.to_le_bytes());
    out
}

/// 32-bit integers.
pub(super) fn integers(values: impl ExactSizeIterator<Item = i32>) -> Vec<u8> {
    let mut out = header("<i4", &[values.len()]);
    out.extend(values.flat_map(i32::to_le_bytes));
    out
}

/// Truth values.
pub(super) fn flags(shape: &[usize], values: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut out = header("|b1", shape);
    out.extend(values.map(u8::from));
    out
}

/// Strings: numpy pads all to the longest, four bytes per character.
pub(super) fn strings(values: &[&str]) -> Vec<u8> {
    // numpy drops trailing NULs, so an empty list of characters reads back as the empty string.
    let longest = values.iter().map(|value| value.chars().count()).max().unwrap_or(0).max(1);
    let mut out = header(&format!("<U{longest}"), &[values.len()]);
    for value in values {
        let chars = value.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        out.extend(chars.flat_map(u32::to_le_bytes));
    }
    out
}
