//! Common parts of the readers of text formats: words with lines and columns, numbers, and repairs of the text itself.

mod lex;
mod number;
mod plain;

pub(super) use lex::{Cursor, is_space, line_of, word_is};
pub(super) use number::{Slow, blanks, decimals, fast, slow};
pub(super) use plain::{contains, plain};
