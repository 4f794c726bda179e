//! The motion table: header, then one row of numbers per frame.
//!
//! Rows are read by [`fast_row`] straight into their place; a line it cannot take is read again word by
//! word and put together by [`Rows`], which knows short, long, split and joined rows. Memory follows
//! the numbers that are there, never the counts the header claims.

use std::ops::Range;

use super::wide;
use crate::error::excerpt;
use crate::text::{Cursor, Slow, decimals, is_space, slow, word_is};
use crate::{Findings, ReadError, Severity, counted};

/// Numbers beyond this, in degrees or units of length, are damage: light needs an hour for 1e12 m.
pub(super) const MAX_VALUE: f64 = 1e12;

/// What the motion part says.
#[derive(Debug)]
pub(super) struct Table {
    /// Row after row, one number per column.
    pub values: Vec<f64>,
    /// `Frame Time`, its decimals as written and its line.
    pub frame_time: Option<(f64, i32, u32)>,
    /// Line of the first row.
    pub first_line: Option<u32>,
    /// Columns that had no number of their own in these rows.
    pub unread: Vec<(usize, Range<usize>)>,
}

/// Reads everything after the word MOTION.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    num_columns: usize,
    findings: &mut Findings,
) -> Result<Table, ReadError> {
    let header = read_header(cursor, findings);
    let mut rows = Rows::new(num_columns, header.frames.map(|(n, _)| n), cursor.rest().len());
    cursor.skip_space();
    let first_line = (cursor.pos < cursor.bytes.len()).then(|| cursor.line());
    if num_columns > 0 {
        rows.read(cursor, findings)?;
    }
    let num_rows = rows.values.len().checked_div(num_columns).unwrap_or(0);
    match header.frames {
        Some((claimed, line)) if claimed != num_rows as f64 => {
            let message = format!("Frames says {claimed}, {} there", counted(num_rows, "row is", "rows are"));
            let assumed = counted(num_rows, "frame", "frames");
            findings.note(Severity::Warning, Some(line), "frames-mismatch", message, assumed);
        }
        None => {
            let assumed = format!("{}, as many as there are rows", counted(num_rows, "frame", "frames"));
            findings.note(Severity::Warning, None, "frames-missing", "the line Frames is missing", assumed);
        }
        _ => {}
    }
    Ok(Table { values: rows.values, frame_time: header.frame_time, first_line, unread: rows.unread })
}

#[derive(Default)]
struct Header {
    frames: Option<(f64, u32)>,
    frame_time: Option<(f64, i32, u32)>,
}

/// `Frames:` and `Frame Time:` in any capitals and order, up to the first number of the table.
fn read_header(cursor: &mut Cursor<'_>, findings: &mut Findings) -> Header {
    let mut header = Header::default();
    loop {
        cursor.skip_space();
        let start = cursor.pos;
        let word = cursor.word();
        let line = cursor.line_at(start);
        if word_is(word, b"Frames") {
            cursor.pos = start + b"Frames".len();
            header.frames = label_number(cursor, findings).map(|(n, _)| (n, line)).or(header.frames);
        } else if word_is(word, b"Frame") || word.eq_ignore_ascii_case(b"FrameTime:") {
            if word.len() == b"Frame".len() {
                cursor.word();
            }
            let time_end = cursor.bytes[start..cursor.pos].iter().position(|&b| b == b':');
            cursor.pos = time_end.map_or(cursor.pos, |n| start + n);
            header.frame_time =
                label_number(cursor, findings).map(|(t, digits)| (t, digits, line)).or(header.frame_time);
        } else if word.is_empty() || slow(cursor.bytes, start, cursor.pos) != Slow::Bad {
            cursor.pos = start;
            return header;
        } else if header.frames.is_some() && header.frame_time.is_some() {
            // The table itself starts with something odd; rows know what to do.
            cursor.pos = start;
            return header;
        } else {
            let message = format!("{} in the motion header", excerpt(word));
            findings.note(Severity::Warning, Some(line), "stray-text", message, "left out");
            cursor.skip_line();
        }
    }
}

/// The number after a label and its colon, on the same line, with the decimals it was written with.
fn label_number(cursor: &mut Cursor<'_>, findings: &mut Findings) -> Option<(f64, i32)> {
    cursor.skip_blanks();
    if cursor.peek() == Some(b':') {
        cursor.pos += 1;
    }
    cursor.skip_blanks();
    let start = cursor.pos;
    if cursor.peek().is_none_or(|b| b == b'\n') {
        return None;
    }
    let word = cursor.word();
    match slow(cursor.bytes, start, cursor.pos) {
        Slow::Number { value, end, exponent, leading_dot } if end == cursor.pos => {
            let line = Some(cursor.line_at(start));
            if exponent {
                findings.info(line, "exponents", format!("{} has an exponent", excerpt(word)));
            }
            if leading_dot {
                findings.info(line, "leading-dot", format!("{} starts with a dot", excerpt(word)));
            }
            Some((value, decimals(word)))
        }
        _ => None,
    }
}

/// Rows being put together.
struct Rows {
    width: usize,
    values: Vec<f64>,
    /// The row under the reader's hand.
    row: Vec<f64>,
    /// Numbers of a row that is not full yet, and where it started.
    pending: Vec<f64>,
    pending_at: usize,
    exponents: Seen,
    leading_dots: Seen,
    glued: Seen,
    blank_lines: Seen,
    trailing_blanks: Seen,
    split: Seen,
    joined: Seen,
    not_finite: Seen,
    too_large: Seen,
    bad: Seen,
    unread: Vec<(usize, Range<usize>)>,
    /// Per column, its last interval among these; empty until there is one.
    last_unread: Vec<Option<usize>>,
}

/// How often something was seen, and first where.
#[derive(Default)]
struct Seen {
    count: usize,
    first: usize,
}

impl Seen {
    fn add(&mut self, at: usize) {
        if self.count == 0 {
            self.first = at;
        }
        self.count += 1;
    }
}

impl Rows {
    fn new(width: usize, claimed: Option<f64>, bytes_left: usize) -> Self {
        // A number takes at least two bytes, so a header cannot make this more than four times the file.
        let most = bytes_left / 2 + 1;
        let claim = claimed.unwrap_or(0.0).clamp(0.0, most as f64) as usize;
        Self {
            width,
            values: Vec::with_capacity(claim.saturating_mul(width).min(most)),
            row: vec![0.0; width],
            pending: Vec::new(),
            pending_at: 0,
            exponents: Seen::default(),
            leading_dots: Seen::default(),
            glued: Seen::default(),
            blank_lines: Seen::default(),
            trailing_blanks: Seen::default(),
            split: Seen::default(),
            joined: Seen::default(),
            not_finite: Seen::default(),
            too_large: Seen::default(),
            bad: Seen::default(),
            unread: Vec::new(),
            last_unread: Vec::new(),
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        let mut numbers = Vec::new();
        while cursor.pos < cursor.bytes.len() {
            let line_start = cursor.pos;
            cursor.skip_blanks();
            if cursor.peek() == Some(b'\n') {
                cursor.pos += 1;
                self.blank_lines.add(line_start);
                continue;
            }
            let mut trailing = false;
            if let Some(next) = wide::fast_row(cursor.bytes, cursor.pos, &mut self.row, &mut trailing) {
                if trailing {
                    self.trailing_blanks.add(line_start);
                }
                self.flush_short(cursor, findings);
                let row = std::mem::take(&mut self.row);
                self.push(&row, line_start);
                self.row = row;
                cursor.pos = next;
                continue;
            }
            numbers.clear();
            self.slow_line(cursor, &mut numbers, findings);
            if !numbers.is_empty() {
                self.assemble(&numbers, line_start, cursor, findings);
            }
        }
        if !self.pending.is_empty() {
            let line = Some(cursor.line_at(self.pending_at));
            let message = {
                let numbers = counted(self.pending.len(), "number", "numbers");
                format!("the last row has {numbers}, expected {}", self.width)
            };
            findings.note(Severity::Error, line, "row-short", message, "the file is cut off; left out");
        }
        self.report(cursor, findings)
    }

    /// Reads a line word by word; non-numbers become NaN, to be replaced by [`Self::push`].
    fn slow_line(&mut self, cursor: &mut Cursor<'_>, numbers: &mut Vec<f64>, findings: &mut Findings) {
        let line_start = cursor.pos;
        let mut any_number = false;
        loop {
            cursor.skip_blanks();
            let start = cursor.pos;
            match cursor.peek() {
                None => break,
                Some(b'\n') => {
                    cursor.pos += 1;
                    break;
                }
                _ => {}
            }
            while cursor.peek().is_some_and(|b| !is_space(b)) {
                cursor.pos += 1;
            }
            let end = cursor.pos;
            let mut at = start;
            while at < end {
                match slow(cursor.bytes, at, end) {
                    Slow::Number { value, end: after, exponent, leading_dot } => {
                        any_number = true;
                        numbers.push(value);
                        if exponent {
                            self.exponents.add(at);
                        }
                        if leading_dot {
                            self.leading_dots.add(at);
                        }
                        if at > start {
                            self.glued.add(at);
                        }
                        at = after;
                    }
                    Slow::NotFinite => {
                        any_number = true;
                        self.not_finite.add(at);
                        numbers.push(f64::NAN);
                        at = end;
                    }
                    Slow::Bad => {
                        self.bad.add(at);
                        numbers.push(f64::NAN);
                        at = end;
                    }
                }
            }
        }
        if !any_number && !numbers.is_empty() {
            // Words only: a comment or a trailer, not a row.
            self.bad.count -= numbers.len();
            let line = Some(cursor.line_at(line_start));
            let message = format!("{} among the rows", excerpt(&cursor.bytes[line_start..cursor.pos]));
            findings.note(Severity::Warning, line, "stray-text", message, "left out");
            numbers.clear();
        }
    }

    /// Takes the numbers of one line that is not simply one row.
    fn assemble(&mut self, numbers: &[f64], at: usize, cursor: &mut Cursor<'_>, findings: &mut Findings) {
        if !self.pending.is_empty() && self.pending.len() + numbers.len() > self.width {
            self.flush_short(cursor, findings);
        }
        if self.pending.is_empty() && numbers.len() >= self.width {
            if numbers.len() > self.width {
                if numbers.len().is_multiple_of(self.width) {
                    self.joined.add(at);
                } else {
                    let line = Some(cursor.line_at(at));
                    let found = counted(numbers.len(), "number", "numbers");
                    let message = format!("a row has {found}, expected {}", self.width);
                    let assumed = format!("the first {} count", self.width);
                    findings.note(Severity::Error, line, "row-long", message, assumed);
                    return self.push(&numbers[..self.width], at);
                }
            }
            for row in numbers.chunks_exact(self.width) {
                self.push(row, at);
            }
            return;
        }
        if self.pending.is_empty() {
            self.pending_at = at;
        }
        self.pending.extend_from_slice(numbers);
        if self.pending.len() == self.width {
            self.split.add(self.pending_at);
            let row = std::mem::take(&mut self.pending);
            self.push(&row, self.pending_at);
        }
    }

    /// A row that never filled up takes the missing numbers from the row before.
    fn flush_short(&mut self, cursor: &mut Cursor<'_>, findings: &mut Findings) {
        if self.pending.is_empty() {
            return;
        }
        let line = Some(cursor.line_at(self.pending_at));
        let numbers = counted(self.pending.len(), "number", "numbers");
        let message = format!("a row has {numbers}, expected {}", self.width);
        let assumed = "the missing ones are as in the row before";
        findings.note(Severity::Error, line, "row-short", message, assumed);
        let mut row = std::mem::take(&mut self.pending);
        row.resize(self.width, f64::NAN);
        self.push(&row, self.pending_at);
    }

    /// Appends a row; what is not a sensible number takes its value from the row before, or 0.
    fn push(&mut self, row: &[f64], at: usize) {
        let start = self.values.len();
        self.values.extend_from_slice(row);
        let sane = row.iter().fold(true, |sane, v| sane & (v.abs() <= MAX_VALUE));
        if sane {
            return;
        }
        for (i, &v) in row.iter().enumerate() {
            // NaN was counted where it was read; here only what is too large is new.
            if v.abs() > MAX_VALUE {
                self.too_large.add(at);
            }
            if !matches!(v.abs(), a if a <= MAX_VALUE) {
                let before = start.checked_sub(self.width).map_or(0.0, |p| self.values[p + i]);
                self.values[start + i] = before;
                self.mark_unread(i, start / self.width);
            }
        }
    }

    fn mark_unread(&mut self, column: usize, row: usize) {
        self.last_unread.resize(self.width, None);
        match self.last_unread[column].map(|last| &mut self.unread[last].1) {
            Some(rows) if rows.end == row => rows.end += 1,
            _ => {
                self.last_unread[column] = Some(self.unread.len());
                self.unread.push((column, row..row + 1));
            }
        }
    }

    fn report(&mut self, cursor: &mut Cursor<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        /// Fraction of all numbers that may be words before the file is refused.
        const MAX_BAD_FRACTION: f64 = 0.01;
        let Seen { count, first } = self.bad;
        if count > 0 {
            let end = first + cursor.bytes[first..].iter().position(|&b| is_space(b)).unwrap_or(0);
            let found = excerpt(&cursor.bytes[first..end.max(first)]);
            let (line, column) = (cursor.line_at(first), cursor.column_at(first));
            // A handful is always forgiven, so that short files can be mended too.
            if count as f64 > (MAX_BAD_FRACTION * self.values.len() as f64).max(8.0) {
                return Err(ReadError::NotNumbers { line, column, found, count: count - 1 });
            }
            let message = {
                let words = counted(count, "word is not a number", "words are not numbers");
                format!("{words}, first {found} in column {column}")
            };
            let assumed = "each keeps the value of the row before";
            findings.note(Severity::Error, Some(line), "number-bad", message, assumed);
        }
        let mut note = |seen: &Seen, severity, code, (one, many): (&str, &str), assumed: &str| {
            if seen.count > 0 {
                let line = Some(cursor.line_at(seen.first));
                findings.note(severity, line, code, counted(seen.count, one, many), assumed);
            }
        };
        let lost = "each keeps the value of the row before";
        let not_finite = ("number is not finite", "numbers are not finite");
        note(&self.not_finite, Severity::Error, "not-finite", not_finite, lost);
        let too_large = ("number is too large, beyond 1e12", "numbers are too large, beyond 1e12");
        note(&self.too_large, Severity::Error, "too-large", too_large, lost);
        note(
            &self.glued,
            Severity::Warning,
            "glued-numbers",
            ("number touches its neighbour", "numbers touch their neighbours"),
            "a sign starts a number",
        );
        note(
            &self.split,
            Severity::Warning,
            "row-split",
            ("row runs over several lines", "rows run over several lines"),
            "they belong together",
        );
        note(
            &self.joined,
            Severity::Warning,
            "rows-joined",
            ("line holds several rows", "lines hold several rows"),
            "one frame each",
        );
        let mut info = |seen: &Seen, code, one: &str, many: &str| {
            if seen.count > 0 {
                let line = Some(cursor.line_at(seen.first));
                findings.info(line, code, counted(seen.count, one, many));
            }
        };
        info(&self.exponents, "exponents", "number has an exponent", "numbers have an exponent");
        info(&self.leading_dots, "leading-dot", "number starts with a dot", "numbers start with a dot");
        info(
            &self.blank_lines,
            "blank-rows",
            "line among the rows is blank",
            "lines among the rows are blank",
        );
        info(&self.trailing_blanks, "trailing-blanks", "row ends in blanks", "rows end in blanks");
        Ok(())
    }
}
