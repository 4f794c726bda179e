//! Python functions of all verbs, generated from their definitions for the package `ugoki`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, Subcommand as _};
use serde_json::Value;
use ugoki_verbs::{Request, request_schema, verb_names};

const HEAD: &str = "# Generated from the verbs of crates/ugoki-verbs; do not edit.\n\
                    # UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it python\n";

/// Arguments that every verb has in Python, with their types, defaults and descriptions.
const COMMON: [(&str, &str, &str, &str); 3] = [
    (
        "memory",
        "int | None",
        "None",
        "Bytes that inputs and the motions made of them may take; None is 8 GiB.",
    ),
    ("overwrite", "bool", "False", "Let an output replace a file that is also an input."),
    (
        "progress",
        "Progress | None",
        "None",
        "A function that is called with the part done, 0 to 1, or a tqdm bar.",
    ),
];

/// One argument of a verb.
struct Field {
    /// Name in Python, which is the request's but for Python's own words.
    name: String,
    /// Name in the request.
    field: String,
    kind: String,
    /// As Python text; `None` where it must be given.
    default: Option<String>,
    about: String,
    is_list: bool,
    is_positional: bool,
}

struct Function {
    words: Vec<String>,
    about: String,
    fields: Vec<Field>,
    /// Long options that are called otherwise than their field.
    renamed: Vec<(String, String)>,
    /// Where results go when no output is named, and what they are.
    result: Option<(&'static str, &'static str)>,
}

fn functions() -> Vec<Function> {
    // The studio is a program with a page; it has no place inside another program.
    verb_names().iter().filter(|verb| *verb != "studio").filter_map(|verb| function(verb)).collect()
}

fn function(verb: &str) -> Option<Function> {
    let words: Vec<&str> = verb.split(' ').collect();
    let schema = request_schema(&words)?;
    let mut command = Request::augment_subcommands(Command::new("ugoki"));
    for word in &words {
        command = command.find_subcommand(word)?.clone();
    }
    command.build();
    let result = result_of(verb, &schema);
    let mut fields: Vec<Field> = Vec::new();
    let mut renamed = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let field = if id == "OUT" { "output" } else { id };
        if fields.iter().any(|known| known.field == field) || schema["properties"].get(field).is_none() {
            continue;
        }
        if let Some(long) = argument.get_long().filter(|long| long.replace('-', "_") != field) {
            renamed.push((long.to_owned(), python_name(field)));
        }
        fields.push(field_of(field, argument, &schema, result.is_some()));
    }
    for field in &mut fields {
        field.about = in_python(&field.about, &renamed);
    }
    // Parameters without a default stand in front.
    fields.sort_by_key(|field| (!field.is_positional, field.default.is_some(), field.field != "output"));
    let about = in_python(schema["description"].as_str().unwrap_or_default(), &renamed);
    Some(Function { words: words.into_iter().map(str::to_owned).collect(), about, fields, renamed, result })
}

/// Where the results of a verb go when no output is named, and their type.
fn result_of(verb: &str, schema: &Value) -> Option<(&'static str, &'static str)> {
    let has_output =
        schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == "output"));
    match verb {
        "render" => Some(("<bytes>/out.png", "bytes")),
        "convert" => Some(("<new>/out.clip", "Clip")),
        "compose" | "db export" => Some(("<new>/out", "dict[str, Clip | bytes]")),
        // A model, a folder of examples and a live stream have no form in memory.
        "perform learn" | "demo" | "stream" => None,
        _ if has_output => Some(("<new>/out.clip", "Clip")),
        _ => None,
    }
}

fn python_name(field: &str) -> String {
    let reserved = ["from", "in", "is", "lambda", "class", "import", "global", "pass", "with", "for", "as"];
    if reserved.contains(&field) { format!("{field}_") } else { field.to_owned() }
}

fn field_of(field: &str, argument: &Arg, schema: &Value, has_result: bool) -> Field {
    let of = &schema["properties"][field];
    let is_required =
        schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
    let names_file = argument.get_value_names().is_some_and(|names| {
        names.iter().any(|name| name.contains("FILE") || name.contains("DIR") || name.contains("DB"))
    });
    let is_file = argument.get_long().is_none() || field == "output" || names_file;
    let is_list = of["type"] == "array";
    let kind = type_of(of, schema, is_file);
    let default = match of.get("default") {
        Some(Value::Bool(flag)) => Some(if *flag { "True" } else { "False" }.to_owned()),
        Some(value @ (Value::Number(_) | Value::String(_))) => Some(value.to_string()),
        _ if is_required && !(field == "output" && has_result) => None,
        _ => Some("None".to_owned()),
    };
    let kind = match default.as_deref() {
        Some("None") if !kind.ends_with("None") => format!("{kind} | None"),
        _ => kind,
    };
    Field {
        name: python_name(field),
        field: field.to_owned(),
        kind: if is_list { kind.replacen("list[", "Many[", 1) } else { kind },
        default,
        about: of["description"].as_str().unwrap_or_default().replace('\n', " "),
        is_list,
        is_positional: argument.get_long().is_none() && field != "output",
    }
}

/// The Python type of a schema.
fn type_of(schema: &Value, root: &Value, is_file: bool) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return type_of(&root["$defs"][name], root, is_file);
    }
    let union = |types: Vec<String>| {
        let mut unique: Vec<String> = Vec::new();
        types.into_iter().filter(|one| one != "None").for_each(|one| {
            if !unique.contains(&one) {
                unique.push(one);
            }
        });
        unique.join(" | ")
    };
    if let Some(value) = schema.get("const") {
        return format!("Literal[{value}]");
    }
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<String> =
            values.iter().filter(|value| !value.is_null()).map(Value::to_string).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            return union(choices.iter().map(|choice| type_of(choice, root, is_file)).collect());
        }
    }
    if let Some(kinds) = schema["type"].as_array() {
        let one = |kind: &Value| {
            let mut single = schema.clone();
            single["type"] = kind.clone();
            type_of(&single, root, is_file)
        };
        return union(kinds.iter().map(one).collect());
    }
    match schema["type"].as_str() {
        Some("string") if is_file => "Source".to_owned(),
        Some("string") => "str".to_owned(),
        Some("integer") => "int".to_owned(),
        Some("number") => "float".to_owned(),
        Some("boolean") => "bool".to_owned(),
        Some("null") => "None".to_owned(),
        Some("array") => format!("list[{}]", type_of(&schema["items"], root, is_file)),
        _ => "object".to_owned(),
    }
}

/// A text for people with the options in it as Python writes them.
fn in_python(text: &str, renamed: &[(String, String)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        out += &rest[..at];
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(after.len());
        let long = after[..end].trim_end_matches('-');
        let field = renamed.iter().find(|(known, _)| known == long).map(|(_, field)| field.clone());
        out += &if long.is_empty() {
            "--".to_owned()
        } else {
            field.unwrap_or_else(|| python_name(&long.replace('-', "_")))
        };
        rest = &after[long.len()..];
    }
    (out + rest).replace('\\', "\\\\")
}

impl Function {
    fn name(&self) -> String {
        python_name(self.words.last().map_or("", String::as_str))
    }

    /// The parameters, with their types or without.
    fn parameters(&self, typed: bool, output: Option<&str>) -> String {
        let mut out: Vec<String> = Vec::new();
        let positional = self.fields.iter().filter(|field| field.is_positional).count();
        for (at, field) in self.fields.iter().enumerate() {
            if at == positional {
                out.push("*".to_owned());
            }
            let (kind, default) = match output {
                Some(kind) if field.field == "output" => (kind, (kind == "None").then_some("None")),
                _ => (field.kind.as_str(), field.default.as_deref()),
            };
            let typed = if typed { format!(": {kind}") } else { String::new() };
            let default = default.map_or(String::new(), |text| {
                if typed.is_empty() { format!("={text}") } else { format!(" = {text}") }
            });
            out.push(format!("{}{typed}{default}", field.name));
        }
        if positional == self.fields.len() {
            out.push("*".to_owned());
        }
        for (name, kind, default, _) in COMMON {
            out.push(if typed { format!("{name}: {kind} = {default}") } else { format!("{name}={default}") });
        }
        out.join(", ")
    }

    fn constant(&self) -> String {
        format!("_{}", self.words.join("_").to_uppercase())
    }

    /// What the call needs to know about the verb.
    fn definition(&self) -> String {
        let tags = self.words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        let defaults = self.fields.iter().filter_map(|field| {
            let default = field.default.as_deref().filter(|default| *default != "None")?;
            Some(format!("{:?}: {default}", field.name))
        });
        let lists = self.fields.iter().filter(|field| field.is_list).map(|field| format!("{:?}", field.name));
        let renamed = self.renamed.iter().map(|(long, name)| format!("{long:?}: {name:?}"));
        let result = self.result.map_or("None".to_owned(), |(place, _)| format!("{place:?}"));
        format!(
            "{} = Verb([{tags}], {{{}}}, {{{}}}, {{{}}}, {result})\n",
            self.constant(),
            defaults.collect::<Vec<_>>().join(", "),
            lists.map(|name| format!("{name}: True")).collect::<Vec<_>>().join(", "),
            renamed.collect::<Vec<_>>().join(", "),
        )
    }

    fn code(&self, indent: &str) -> String {
        let mut out = String::new();
        let fixed = if indent.is_empty() { "" } else { "    @staticmethod\n" };
        let _ = writeln!(out, "{fixed}{indent}def {}({}):", self.name(), self.parameters(false, None));
        let _ = writeln!(out, "{indent}    \"\"\"{}.\n", self.about.trim_end_matches('.'));
        let described = self.fields.iter().map(|field| (field.name.as_str(), field.about.as_str()));
        for (name, about) in described.chain(COMMON.iter().map(|(name, _, _, about)| (*name, *about))) {
            let about = match (name, self.result) {
                ("output", Some((_, kind))) => format!("{about}; without it the result is returned: {kind}"),
                _ => about.to_owned(),
            };
            let _ = writeln!(out, "{indent}    :param {name}: {about}");
        }
        let _ = writeln!(out, "{indent}    \"\"\"\n{indent}    return run({}, locals())\n", self.constant());
        out
    }

    fn stub(&self, indent: &str) -> String {
        let mut out = String::new();
        let mut one = |output: Option<&str>, returned: &str, overload: bool| {
            let fixed = if indent.is_empty() { "" } else { "    @staticmethod\n" };
            let overload = if overload { format!("{indent}@overload\n") } else { String::new() };
            let _ = writeln!(
                out,
                "{overload}{fixed}{indent}def {}({}) -> {returned}: ...",
                self.name(),
                self.parameters(true, output),
            );
        };
        match self.result {
            Some((_, kind)) => {
                one(Some("None"), kind, true);
                one(Some("Path"), "Report | bytes", true);
            }
            None => one(None, "Report", false),
        }
        out
    }
}

/// The module and its types.
fn python() -> [(&'static str, String); 2] {
    let functions = functions();
    let mut code =
        format!("{HEAD}\"\"\"Every verb as a function.\"\"\"\n\nfrom ugoki._call import Verb, run\n\n");
    let mut stub = format!(
        "{HEAD}from typing import Literal, overload\n\nfrom ugoki import Clip\nfrom ugoki._call import Many, Path, Progress, Report, Source\n\n"
    );
    functions.iter().for_each(|function| code += &function.definition());
    code += "\n\n";
    let mut groups: Vec<&str> =
        functions.iter().filter(|one| one.words.len() > 1).map(|one| one.words[0].as_str()).collect();
    groups.dedup();
    for function in functions.iter().filter(|function| function.words.len() == 1) {
        code = code + &function.code("") + "\n";
        stub += &function.stub("");
    }
    for group in &groups {
        let _ = writeln!(code, "class {group}:\n    \"\"\"The verbs of `ugoki {group}`.\"\"\"\n");
        let _ = writeln!(stub, "\nclass {group}:");
        for function in
            functions.iter().filter(|function| function.words.len() > 1 && function.words[0] == *group)
        {
            code += &function.code("    ");
            stub += &function.stub("    ");
        }
        code += "\n";
    }
    let names = functions.iter().filter(|one| one.words.len() == 1).map(Function::name);
    let all: Vec<String> =
        names.chain(groups.iter().map(|group| (*group).to_owned())).map(|name| format!("{name:?}")).collect();
    let _ = writeln!(code, "__all__ = [{}]", all.join(", "));
    [("_verbs.py", code), ("_verbs.pyi", stub)]
}

#[test]
fn python_functions_are_those_of_the_verbs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ugoki-py/python/ugoki");
    for (name, wanted) in python() {
        let place = folder.join(name);
        if std::env::var_os("UGOKI_WRITE").is_some() {
            fs::write(&place, &wanted).unwrap();
        }
        let found = fs::read_to_string(&place).unwrap_or_default();
        assert!(
            found == wanted,
            "{name} of the Python package is out of date; run `UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it python`"
        );
    }
}
