//! Words, lines and columns.

/// A position in the file that moves forward.
pub(crate) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub pos: usize,
    /// The last position whose line was asked for, and that line.
    known: (usize, u32),
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0, known: (0, 1) }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    /// Line of `pos`, from 1; cheap when asked in order.
    pub(crate) fn line_at(&mut self, pos: usize) -> u32 {
        let (from, line) = if pos >= self.known.0 { self.known } else { (0, 1) };
        let pos = pos.min(self.bytes.len());
        let newlines = count_newlines(&self.bytes[from..pos]);
        self.known = (pos, line.saturating_add(newlines));
        self.known.1
    }

    /// Line of the cursor, from 1.
    pub(crate) fn line(&mut self) -> u32 {
        self.line_at(self.pos)
    }

    /// Byte within its line, from 1.
    pub(crate) fn column_at(&self, pos: usize) -> u32 {
        let start = self.bytes[..pos].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
        u32::try_from(pos - start + 1).unwrap_or(u32::MAX)
    }

    /// Past blanks and line ends.
    pub(crate) fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.pos += 1;
        }
    }

    /// Past blanks, staying on the line.
    pub(crate) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|b| is_space(b) && b != b'\n') {
            self.pos += 1;
        }
    }

    /// The next word on this or a later line; a brace is a word of its own; empty at the end.
    pub(crate) fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        let start = self.pos;
        while let Some(b) = self.peek() {
            let brace = matches!(b, b'{' | b'}');
            if is_space(b) || (brace && self.pos > start) {
                break;
            }
            self.pos += 1;
            if brace {
                break;
            }
        }
        &self.bytes[start..self.pos]
    }

    /// What follows on this line up to a brace, blanks trimmed.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.pos;
        while self.peek().is_some_and(|b| !matches!(b, b'\n' | b'{' | b'}')) {
            self.pos += 1;
        }
        self.bytes[start..self.pos].trim_ascii()
    }

    /// Past the end of this line.
    pub(crate) fn skip_line(&mut self) {
        let rest = self.rest();
        self.pos += rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |n| n + 1);
    }
}

/// Blanks and line ends, vertical tabs included.
#[inline(always)]
pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// Whether `text` starts with this word, capitals aside, ended by a blank, a colon, a brace or the end.
pub(crate) fn word_is(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        && text.get(word.len()).is_none_or(|&b| is_space(b) || matches!(b, b':' | b'{' | b'}'))
}

/// Line of byte `pos`, from 1.
pub(crate) fn line_of(bytes: &[u8], pos: usize) -> u32 {
    count_newlines(&bytes[..pos.min(bytes.len())]).saturating_add(1)
}

fn count_newlines(bytes: &[u8]) -> u32 {
    // Sums of at most 255 in bytes keep the loop sixteen wide.
    bytes.chunks(255).map(|chunk| u32::from(chunk.iter().map(|&b| u8::from(b == b'\n')).sum::<u8>())).sum()
}
