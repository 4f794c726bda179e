//! A file's own numbers as bytes.
//!
//! Files write decimals, so a column is mostly integers over a power of ten: the integer is stored. An integer below
//! 2⁵³ over a power of ten that a double holds exactly, divided, is the double that reading the decimal gives, because
//! both are correctly rounded. A column with other numbers is stored by the bits of its doubles.

use super::planes::{bits_of64, cost, delta, double_of, read_planes, undelta, write_planes};
use crate::bytes::{BytesError, Reader, Writer};
use crate::clip::{ChannelKind, OffsetMode, Source, SourceChannel, UpAxis};

/// Digits after the point that are tried; with more, integers soon pass 2⁵³.
const MAX_DIGITS: u8 = 15;
/// Marks a column stored by bits instead of digits.
const BY_BITS: u8 = u8::MAX;
/// Integers up to this are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn write(out: &mut Writer, source: &Source) {
    out.count(source.channels.len());
    for channel in &source.channels {
        out.count(channel.joint);
        let (kind, axis) = match channel.kind {
            ChannelKind::Position(axis) => (0, axis),
            ChannelKind::Rotation(axis) => (3, axis),
        };
        out.u8(kind + axis.min(2));
    }
    out.f64(source.frame_time);
    out.f64(source.unit_metres);
    out.u8(u8::from(source.up == UpAxis::Z));
    out.u8(u8::from(source.offset == OffsetMode::Add));
    // Values that do not fill whole rows are kept as one column.
    let width = source.channels.len();
    let columns = if width > 0 && source.values.len().is_multiple_of(width) { width } else { 1 };
    out.count(columns);
    let rows = source.values.len() / columns;
    out.u64(rows as u64);
    for column in 0..columns {
        let values: Vec<f64> = (0..rows).map(|row| source.values[row * columns + column]).collect();
        write_column(out, &values);
    }
}

pub(super) fn read(read: &mut Reader<'_>, num_joints: usize) -> Result<Source, BytesError> {
    let count = read.count(5)?;
    let mut channels = Vec::with_capacity(count);
    for _ in 0..count {
        let joint = read.u32()? as usize;
        let kind = match read.u8()? {
            kind @ 0..3 => ChannelKind::Position(kind),
            kind @ 3..6 => ChannelKind::Rotation(kind - 3),
            kind => return Err(read.bad(format!("a channel of kind {kind}"))),
        };
        if joint >= num_joints {
            return Err(read.bad(format!("a channel of joint {joint} among {num_joints} joints")));
        }
        channels.push(SourceChannel { joint, kind });
    }
    let frame_time = read.finite64()?;
    let unit_metres = read.finite64()?;
    let up = if read.bool()? { UpAxis::Z } else { UpAxis::Y };
    let offset = if read.bool()? { OffsetMode::Add } else { OffsetMode::Replace };
    let columns = read.count(1)?;
    if columns != channels.len() && columns != 1 {
        return Err(read.bad(format!("{columns} columns for {} channels", channels.len())));
    }
    let rows = read.u64()?;
    // One byte per number at least.
    let Some(rows) = usize::try_from(rows).ok().filter(|&rows| read.fits(rows, columns).is_ok()) else {
        return Err(read.bad(format!("{rows} rows do not fit in {} bytes", read.left())));
    };
    let mut values = vec![0.0; rows * columns];
    for column in 0..columns {
        for (row, v) in read_column(read, rows)?.into_iter().enumerate() {
            values[row * columns + column] = v;
        }
    }
    Ok(Source { channels, values, frame_time, unit_metres, up, offset })
}

/// The fewest digits after the point that give every number again, with the integers and the rows of −0.
fn as_decimals(values: &[f64]) -> Option<(u8, Vec<i64>, Vec<usize>)> {
    let mut digits = 0;
    let mut scale = 1.0f64;
    let mut integers = Vec::with_capacity(values.len());
    let mut zeros = Vec::new();
    'again: loop {
        integers.clear();
        zeros.clear();
        for (row, &v) in values.iter().enumerate() {
            let integer = (v * scale).round();
            // A number that fails here fails with fewer digits too, so earlier rows need not be tried again first.
            if !(integer.abs() < EXACT && integer / scale == v) {
                digits += 1;
                scale *= 10.0;
                if digits > MAX_DIGITS || !(v * scale).is_finite() {
                    return None;
                }
                continue 'again;
            }
            if v == 0.0 && v.is_sign_negative() {
                zeros.push(row);
            }
            integers.push(integer as i64);
        }
        return Some((digits, integers, zeros));
    }
}

fn write_column(out: &mut Writer, values: &[f64]) {
    let decimals = as_decimals(values);
    let ordered = match &decimals {
        Some((digits, integers, zeros)) => {
            out.u8(*digits);
            out.count(zeros.len());
            for &row in zeros {
                out.u64(row as u64);
            }
            integers.clone()
        }
        None => {
            out.u8(BY_BITS);
            values.iter().map(|&v| bits_of64(v)).collect()
        }
    };
    let (one, two) = (delta(&ordered, 1), delta(&ordered, 2));
    let (order, coded) = if cost(&one) <= cost(&two) { (1, one) } else { (2, two) };
    out.u8(order);
    write_planes(out, &coded);
}

fn read_column(read: &mut Reader<'_>, rows: usize) -> Result<Vec<f64>, BytesError> {
    let digits = read.u8()?;
    let mut zeros = Vec::new();
    if digits != BY_BITS {
        if digits > MAX_DIGITS {
            return Err(read.bad(format!("{digits} digits after the point")));
        }
        let count = read.count(8)?;
        for _ in 0..count {
            let row = read.u64()?;
            zeros.push(
                usize::try_from(row)
                    .ok()
                    .filter(|&row| row < rows)
                    .ok_or_else(|| read.bad(format!("a zero in row {row} of {rows}")))?,
            );
        }
    }
    let order = read.u8()?;
    if order != 1 && order != 2 {
        return Err(read.bad(format!("a column of order {order}")));
    }
    let ordered = undelta(&read_planes(read, rows, 8)?, order);
    let mut values: Vec<f64> = if digits == BY_BITS {
        ordered.into_iter().map(double_of).collect()
    } else {
        // Powers of ten up to 22 are exact, however they are made.
        let scale = (0..digits).fold(1.0, |scale, _| scale * 10.0);
        ordered.into_iter().map(|integer| integer as f64 / scale).collect()
    };
    for row in zeros {
        values[row] = -0.0;
    }
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(read.bad(format!("{v} in the source is not a finite number"))),
        None => Ok(values),
    }
}
