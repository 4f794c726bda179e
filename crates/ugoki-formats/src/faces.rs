//! Which formats hold facial expressions, and what the others do.

use std::borrow::Cow;

use ugoki_base::clip::Clip;

use super::{Findings, Severity, counted};

/// The body alone, for formats without expressions: a weight written as a place would be a bone a metre long.
pub(crate) fn left_out<'a>(clip: &'a Clip, findings: &mut Findings) -> Cow<'a, Clip> {
    let faces = clip.skeleton().expressions().count();
    if faces > 0 {
        let message =
            format!("{} no place in this format", counted(faces, "expression has", "expressions have"));
        findings.note(
            Severity::Warning,
            None,
            "expressions-left-out",
            message,
            "left out; write .vrma, .glb or .gltf for them",
        );
    }
    clip.without_expressions()
}
