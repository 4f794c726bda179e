//! The bytes of buffers, and the numbers in them.

use std::borrow::Cow;

use super::document::{Accessor, BufferView, Document};
use super::{base64, malformed};
use crate::{Companion, Fetch, ReadError};

/// Numbers that all accessors of a file may give together, beyond those per byte of it: many channels may
/// use one accessor, but not without bound.
const ANY_NUMBERS: usize = 16 << 20;
const NUMBERS_PER_BYTE: usize = 64;

/// All buffers of a document.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    bytes: Vec<Option<Cow<'a, [u8]>>>,
    /// Numbers that may still be decoded.
    left: usize,
}

impl<'a> Buffers<'a> {
    /// Buffers are taken from the binary chunk, from data URIs and from the caller, as they are needed.
    pub(super) fn open(
        document: &'a Document,
        bin: Option<&'a [u8]>,
        file_bytes: usize,
        needed: &[bool],
        fetch: Fetch<'_>,
    ) -> Result<Self, ReadError> {
        let mut bytes: Vec<Option<Cow<'a, [u8]>>> = Vec::with_capacity(document.buffers.len());
        let mut total = file_bytes;
        for (index, buffer) in document.buffers.iter().enumerate() {
            let content = match buffer.uri.as_deref() {
                _ if needed.get(index) != Some(&true) => None,
                None => bin.filter(|_| index == 0).map(Cow::Borrowed),
                Some(uri) if uri.starts_with("data:") => Some(Cow::Owned(data_uri(index, uri)?)),
                Some(uri) => {
                    let name = percent_decoded(uri);
                    let content = fetch(Companion::Named(&name)).ok_or_else(|| ReadError::Companion {
                        message: format!("buffer {index} is in {name:?}, which cannot be found"),
                        hint: "put the .bin file next to the .gltf file, or export as .glb",
                    })?;
                    total = total.saturating_add(content.len());
                    Some(Cow::Owned(content))
                }
            };
            bytes.push(content);
        }
        let left = total.saturating_mul(NUMBERS_PER_BYTE).saturating_add(ANY_NUMBERS);
        Ok(Self { document, bytes, left })
    }

    fn view(&self, index: usize) -> Result<(&BufferView, &[u8]), ReadError> {
        let missing = || malformed(format!("buffer view {index} is not in the file"));
        let view = self.document.buffer_views.get(index).ok_or_else(missing)?;
        if let Some(name) = view.extensions.keys().find(|name| name.contains("compression")) {
            return Err(ReadError::Malformed {
                line: None,
                message: format!("the motion is compressed by {name}, which is not read"),
                hint: "export without compression; gltfpack needs -noq and no -c",
            });
        }
        let buffer = self.bytes.get(view.buffer).and_then(Option::as_deref).ok_or_else(missing)?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let part = end.and_then(|end| buffer.get(view.byte_offset..end)).ok_or_else(|| {
            malformed(format!("buffer view {index} ends behind its buffer of {} bytes", buffer.len()))
        })?;
        Ok((view, part))
    }

    /// All numbers of an accessor, its components one after another; their number per element.
    pub(super) fn numbers(&mut self, index: usize) -> Result<(Vec<f32>, usize), ReadError> {
        let document = self.document;
        let accessor = document
            .accessors
            .get(index)
            .ok_or_else(|| malformed(format!("accessor {index} is not in the file")))?;
        let width = width(accessor)
            .ok_or_else(|| malformed(format!("accessor {index} has type {:?}", accessor.kind)))?;
        let total = accessor.count.saturating_mul(width);
        // The bound also covers accessors without a buffer, which are zeros.
        self.left = self.left.checked_sub(total).ok_or_else(|| {
            malformed(format!(
                "accessor {index} has {} elements, more than the file could mean",
                accessor.count
            ))
        })?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => {
                let (view, bytes) = self.view(view)?;
                let layout = Layout {
                    offset: accessor.byte_offset,
                    stride: view.byte_stride.filter(|&stride| stride > 0),
                    component: accessor.component_type,
                    normalized: accessor.normalized,
                };
                layout.decode(bytes, accessor.count, width).ok_or_else(|| {
                    malformed(format!("accessor {index} does not fit its buffer view or has an unknown type"))
                })?
            }
            None => vec![0.0; total],
        };
        if let Some(sparse) = &accessor.sparse {
            let wrong = || malformed(format!("the sparse part of accessor {index} does not fit"));
            let (_, bytes) = self.view(sparse.indices.buffer_view)?;
            let layout = Layout {
                offset: sparse.indices.byte_offset,
                stride: None,
                component: sparse.indices.component_type,
                normalized: false,
            };
            let places = layout.decode(bytes, sparse.count, 1).ok_or_else(wrong)?;
            let (_, bytes) = self.view(sparse.values.buffer_view)?;
            let layout = Layout {
                offset: sparse.values.byte_offset,
                stride: None,
                component: accessor.component_type,
                normalized: accessor.normalized,
            };
            let values = layout.decode(bytes, sparse.count, width).ok_or_else(wrong)?;
            for (place, value) in places.iter().zip(values.chunks(width)) {
                let start = *place as usize * width;
                numbers.get_mut(start..start + width).ok_or_else(wrong)?.copy_from_slice(value);
            }
        }
        Ok((numbers, width))
    }
}

/// Components per element.
fn width(accessor: &Accessor) -> Option<usize> {
    Some(match accessor.kind.as_str() {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

struct Layout {
    offset: usize,
    stride: Option<usize>,
    component: u32,
    normalized: bool,
}

impl Layout {
    /// `None` when the elements do not fit.
    fn decode(&self, bytes: &[u8], count: usize, width: usize) -> Option<Vec<f32>> {
        let size = match self.component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => return None,
        };
        let element = size * width;
        let stride = self.stride.unwrap_or(element);
        if count == 0 {
            return Some(Vec::new());
        }
        let last = (count - 1).checked_mul(stride)?.checked_add(self.offset)?.checked_add(element)?;
        if last > bytes.len() || stride < element {
            return None;
        }
        let mut out = Vec::with_capacity(count * width);
        for start in (0..count).map(|i| self.offset + i * stride) {
            for number in bytes[start..start + element].chunks_exact(size) {
                out.push(self.number(number));
            }
        }
        Some(out)
    }

    /// One number; normalised integers by the specification's formulas.
    fn number(&self, bytes: &[u8]) -> f32 {
        let (value, largest) = match (self.component, bytes) {
            (5120, &[a]) => (f32::from(a as i8), 127.0),
            (5121, &[a]) => (f32::from(a), 255.0),
            (5122, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
            (5123, &[a, b]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
            (5125, &[a, b, c, d]) => (u32::from_le_bytes([a, b, c, d]) as f32, u32::MAX as f32),
            (5126, &[a, b, c, d]) => return f32::from_le_bytes([a, b, c, d]),
            _ => return 0.0,
        };
        if self.normalized { (value / largest).max(-1.0) } else { value }
    }
}

fn data_uri(index: usize, uri: &str) -> Result<Vec<u8>, ReadError> {
    let wrong = || malformed(format!("buffer {index} has a data URI that is not base64"));
    let (head, body) = uri.split_once(',').ok_or_else(wrong)?;
    if !head.ends_with(";base64") {
        return Err(wrong());
    }
    base64::decode(body).ok_or_else(wrong)
}

/// A relative URI as a file name: `%20` is a blank.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_normalised_as_the_specification_says() {
        let layout = |component, normalized| Layout { offset: 0, stride: None, component, normalized };
        let at = |component, bytes: &[u8]| layout(component, true).decode(bytes, 1, 1).unwrap()[0];
        assert_eq!(at(5120, &[0x80]), -1.0);
        assert_eq!(at(5120, &[0x7F]), 1.0);
        assert_eq!(at(5121, &[0xFF]), 1.0);
        assert_eq!(at(5122, &[0x00, 0x80]), -1.0);
        assert_eq!(at(5123, &[0xFF, 0xFF]), 1.0);
        assert_eq!(layout(5123, false).decode(&[2, 1], 1, 1), Some(vec![258.0]));
    }

    #[test]
    fn elements_outside_their_view_are_refused() {
        let layout = Layout { offset: 4, stride: Some(8), component: 5126, normalized: false };
        assert!(layout.decode(&[0; 16], 2, 1).is_some());
        assert!(layout.decode(&[0; 15], 2, 1).is_none());
        assert!(layout.decode(&[0; 16], usize::MAX, 1).is_none());
        assert!(Layout { stride: Some(2), ..layout }.decode(&[0; 64], 2, 1).is_none());
    }

    #[test]
    fn names_lose_their_percent_signs() {
        assert_eq!(percent_decoded("a%20b%c3%a9.bin"), "a bé.bin");
        assert_eq!(percent_decoded("100%"), "100%");
    }
}
