//! The document with everything that was done to it. It is kept in the database, so that neither a reload of the page
//! nor a restart of the server loses anything.

use serde::{Deserialize, Serialize};

use super::protocol::Document;

/// Changes that can be taken back; more would make the kept text long.
const MOST_CHANGES: usize = 200;

/// What a change did to the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Effect {
    /// These clips were put in.
    Added(Vec<String>),
    /// These clips were thrown out.
    Removed(Vec<String>),
    /// A clip got tags and lost others.
    Tagged { clip: String, add: Vec<String>, remove: Vec<String> },
}

impl Effect {
    /// What takes it back.
    pub(super) fn inverse(&self) -> Self {
        match self.clone() {
            Self::Added(names) => Self::Removed(names),
            Self::Removed(names) => Self::Added(names),
            Self::Tagged { clip, add, remove } => Self::Tagged { clip, add: remove, remove: add },
        }
    }
}

/// A step of the history: the document on its far side, and the effects to apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Change {
    label: String,
    document: Document,
    effect: Option<Effect>,
}

/// The document, its past and the future that was taken back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Session {
    document: Document,
    past: Vec<Change>,
    future: Vec<Change>,
}

impl Session {
    /// A new session that looks at a clip.
    pub(super) fn on(clip: &str) -> Self {
        Self { document: Document { clip: Some(clip.to_owned()), ..Document::default() }, ..Self::default() }
    }

    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// What undoing would take back.
    pub(super) fn undo_label(&self) -> Option<&str> {
        self.past.last().map(|change| change.label.as_str())
    }

    /// What redoing would make again.
    pub(super) fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|change| change.label.as_str())
    }

    /// Whether a change puts this clip in or throws it out.
    pub(super) fn mentions(&self, clip: &str) -> bool {
        self.past.iter().chain(&self.future).any(|change| match &change.effect {
            Some(Effect::Added(names) | Effect::Removed(names)) => names.iter().any(|name| name == clip),
            _ => false,
        })
    }

    /// A change that was made; says whether there was one.
    pub(super) fn commit(&mut self, label: &str, document: Document, effect: Option<Effect>) -> bool {
        if effect.is_none() && document == self.document {
            return false;
        }
        let before = std::mem::replace(&mut self.document, document);
        self.past.push(Change {
            label: label.to_owned(),
            document: before,
            effect: effect.map(|effect| effect.inverse()),
        });
        let extra = self.past.len().saturating_sub(MOST_CHANGES);
        self.past.drain(..extra);
        self.future.clear();
        true
    }

    /// Takes the last change back. `apply` does what is to be done to the database; when it fails nothing changes.
    pub(super) fn undo<E>(&mut self, apply: impl FnOnce(&Effect) -> Result<(), E>) -> Result<bool, E> {
        Self::go(&mut self.document, &mut self.past, &mut self.future, apply)
    }

    /// Makes the change again that was taken back last.
    pub(super) fn redo<E>(&mut self, apply: impl FnOnce(&Effect) -> Result<(), E>) -> Result<bool, E> {
        Self::go(&mut self.document, &mut self.future, &mut self.past, apply)
    }

    fn go<E>(
        document: &mut Document,
        from: &mut Vec<Change>,
        to: &mut Vec<Change>,
        apply: impl FnOnce(&Effect) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Some(change) = from.last() else { return Ok(false) };
        if let Some(effect) = &change.effect {
            apply(effect)?;
        }
        if let Some(change) = from.pop() {
            let before = std::mem::replace(document, change.document);
            let effect = change.effect.map(|effect| effect.inverse());
            to.push(Change { label: change.label, document: before, effect });
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(clip: &str) -> Document {
        Document { clip: Some(clip.to_owned()), ..Document::default() }
    }

    fn nothing(_: &Effect) -> Result<(), ()> {
        Ok(())
    }

    #[test]
    fn what_was_undone_is_redone_as_it_was() {
        let mut session = Session::default();
        for name in ["a", "b", "c"] {
            assert!(session.commit(name, on(name), None));
        }
        let whole = session.clone();
        while session.undo(nothing).unwrap() {}
        assert_eq!(*session.document(), Document::default());
        while session.redo(nothing).unwrap() {}
        assert_eq!(session, whole);
    }

    #[test]
    fn a_new_change_forgets_the_future() {
        let mut session = Session::default();
        session.commit("a", on("a"), None);
        session.undo(nothing).unwrap();
        session.commit("b", on("b"), None);
        assert_eq!(session.redo_label(), None);
        assert_eq!(session.undo_label(), Some("b"));
        assert!(!session.commit("again", on("b"), None), "nothing changed");
    }

    #[test]
    fn effects_are_inverted_by_undo_and_again_by_redo() {
        let mut session = Session::default();
        let added = Effect::Added(vec!["new".to_owned()]);
        session.commit("save", Document::default(), Some(added.clone()));
        let mut seen = Vec::new();
        let mut see = |effect: &Effect| -> Result<(), ()> {
            seen.push(effect.clone());
            Ok(())
        };
        session.undo(&mut see).unwrap();
        session.redo(&mut see).unwrap();
        session.undo(&mut see).unwrap();
        let removed = added.inverse();
        assert_eq!(seen, [removed.clone(), added, removed]);
        assert_eq!(session.redo(|_| Err("full")), Err("full"));
        assert_eq!(session.redo_label(), Some("save"), "what failed can be tried again");
    }

    #[test]
    fn a_session_comes_back_from_its_text() {
        let mut session = Session::default();
        session.commit("a", on("a"), Some(Effect::Removed(vec!["x".to_owned()])));
        let text = serde_json::to_string(&session).unwrap();
        assert_eq!(serde_json::from_str::<Session>(&text).unwrap(), session);
    }
}
