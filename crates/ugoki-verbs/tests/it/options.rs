//! One option, one meaning: an option that several verbs have takes the same kind of value and says the same.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command, Subcommand as _};
use ugoki_verbs::{Request, verb_names};

/// Options whose meaning depends on the verb, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("input", "the value name says which sources a verb takes: files, a live stream, or both"),
    ("output", "the value name says what a verb writes: a file, a folder, a model or a live stream"),
    ("method", "each verb has its own methods, named in its help"),
    ("mirror", "`convert` mirrors a motion, `perform` asks whether the performer did"),
    ("speed", "a factor for `convert`, a range of speeds that selects clips for `db`"),
    ("strict", "`check` is strict about findings, the others about motions that differ"),
    ("tag", "`db add` sets tags, the other `db` verbs select by them"),
    ("weights", "of motions for `blend`, of the terms of F for `compose`"),
];

/// Whether an option is a flag, takes one value, or may be repeated.
fn kind(argument: &Arg) -> &'static str {
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => "flag",
        ArgAction::Append => "repeated",
        _ => "value",
    }
}

/// Field name in JSON, value name, kind and first sentence of the help.
fn meaning(argument: &Arg) -> (String, String, &'static str, String) {
    let names = argument.get_value_names().unwrap_or_default();
    let names = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let sentence = help.split([';', '[', ':']).next().unwrap_or_default().trim().to_owned();
    (argument.get_id().to_string(), names, kind(argument), sentence)
}

#[test]
fn an_option_means_the_same_in_every_verb() {
    let mut command = Request::augment_subcommands(Command::new("ugoki"));
    command.build();
    let mut options: BTreeMap<String, BTreeMap<_, Vec<String>>> = BTreeMap::new();
    for verb in verb_names() {
        let of_verb = verb.split(' ').try_fold(&command, |command, word| command.find_subcommand(word));
        for argument in of_verb.expect("a verb").get_arguments() {
            let Some(long) = argument.get_long().filter(|long| *long != "help") else { continue };
            let meanings = options.entry(long.to_owned()).or_default();
            meanings.entry(meaning(argument)).or_default().push(verb.clone());
        }
    }
    let excepted = |option: &str| EXCEPTIONS.iter().any(|(name, _)| *name == option);
    let several = options.iter().filter(|(_, meanings)| meanings.len() > 1);
    let mut wrong = Vec::new();
    for (option, meanings) in several.filter(|(option, _)| !excepted(option)) {
        for (meaning, verbs) in meanings {
            wrong.push(format!("--{option}: {meaning:?} in {}", verbs.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for (option, _) in EXCEPTIONS {
        assert!(
            options.get(*option).is_some_and(|meanings| meanings.len() > 1),
            "--{option} is no exception any more"
        );
    }
}
