//! The file around the document: GLB's two chunks, or JSON alone.

use super::malformed;
use crate::{Findings, Format, ReadError, Severity};

/// First four bytes of a binary file.
const MAGIC: &[u8; 4] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// What a file consists of.
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    pub(super) bin: Option<&'a [u8]>,
    pub(super) is_binary: bool,
}

/// How much of a JSON file is looked at to tell what it is.
const LOOKED_AT: usize = 1 << 20;

/// Which glTF format the bytes are, if any: by the words its extension writes in the document.
pub(crate) fn looks_like(bytes: &[u8]) -> Option<Format> {
    let (json, plain) = if bytes.starts_with(MAGIC) {
        let json = open(bytes, &mut Findings::default()).map_or(&[][..], |container| container.json);
        (json, Format::Glb)
    } else {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let has = |word: &str| contains(&text[..text.len().min(LOOKED_AT)], word);
        if !(text.starts_with(b"{")
            && has("\"asset\"")
            && ["\"nodes\"", "\"scenes\"", "\"buffers\"", "\"accessors\""].into_iter().any(has))
        {
            return None;
        }
        (text, Format::Gltf)
    };
    Some(if contains(json, "\"VRMC_vrm_animation\"") {
        Format::Vrma
    } else if contains(json, "\"VRMC_vrm\"") || contains(json, "\"VRM\"") {
        Format::Vrm
    } else {
        plain
    })
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// Cuts a file into its parts.
pub(super) fn open<'a>(bytes: &'a [u8], findings: &mut Findings) -> Result<Container<'a>, ReadError> {
    if !bytes.starts_with(MAGIC) {
        let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        return Ok(Container { json, bin: None, is_binary: false });
    }
    let word = |at: usize| {
        let four = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    };
    let cut = || malformed("the file ends within its header, expected GLB chunks".to_owned());
    let version = word(4).ok_or_else(cut)?;
    if version != 2 {
        return Err(malformed(format!("GLB version {version}, expected 2")));
    }
    if word(8).is_some_and(|length| length as usize != bytes.len()) {
        let message = format!("the header says {} bytes, the file has {}", word(8).unwrap_or(0), bytes.len());
        findings.note(Severity::Warning, None, "file-length", message, "the chunks that are there");
    }
    let (mut json, mut bin) = (None, None);
    let mut at = 12;
    while let (Some(length), Some(kind)) = (word(at), word(at + 4)) {
        let start = at + 8;
        let end = start.saturating_add(length as usize).min(bytes.len());
        let chunk = &bytes[start..end];
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BIN if bin.is_none() => bin = Some(chunk),
            _ => {}
        }
        at = end;
    }
    let json = json.ok_or_else(cut)?;
    Ok(Container { json, bin, is_binary: true })
}

/// A GLB file of a document and its binary buffer.
pub(super) fn pack(mut json: Vec<u8>, mut bin: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let chunks = [(JSON, &json), (BIN, &bin)];
    let length = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&2u32.to_le_bytes());
    out.extend_from_slice(&(length as u32).to_le_bytes());
    for (kind, chunk) in chunks {
        out.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
        out.extend_from_slice(chunk);
    }
    out
}
