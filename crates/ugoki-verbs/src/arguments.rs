//! Building a command line that parses back to what it was built from.

/// Collects a verb's options and file names in the order the command line wants them.
#[derive(Debug, Clone)]
pub struct Arguments {
    options: Vec<String>,
    files: Vec<String>,
}

impl Arguments {
    /// Starts with the verb.
    #[must_use]
    pub fn new(verb: &str) -> Self {
        Self { options: vec![verb.to_owned()], files: Vec::new() }
    }

    /// Adds a word that stands before all options, such as what a verb is to do.
    #[must_use]
    pub fn word(mut self, word: &str) -> Self {
        self.options.push(word.to_owned());
        self
    }

    /// Adds `--name=value`, unless there is no value.
    #[must_use]
    pub fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            // One word, so that a value may begin with a minus.
            self.options.push(format!("--{name}={}", value.to_string()));
        }
        self
    }

    /// Adds `--name` when set.
    #[must_use]
    pub fn flag(mut self, name: &str, set: bool) -> Self {
        if set {
            self.options.push(format!("--{name}"));
        }
        self
    }

    /// Adds a file name.
    #[must_use]
    pub fn file(mut self, name: &str) -> Self {
        self.files.push(name.to_owned());
        self
    }

    /// The words: verb, options, `--`, file names. The `--` lets names begin with a minus.
    #[must_use]
    pub fn finish(self) -> Vec<String> {
        let mut words = self.options;
        if self.files.iter().any(|name| name.starts_with('-') && name != "-") {
            words.push("--".to_owned());
        }
        words.extend(self.files);
        words
    }
}
