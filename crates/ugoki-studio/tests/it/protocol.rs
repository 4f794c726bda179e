//! `web/src/protocol.ts` is what `src/studio/protocol.rs` says. `UGOKI_WRITE=1` regenerates it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type};
use ugoki_studio::studio::protocol::Intent;

#[test]
fn the_typescript_of_the_protocol_is_the_rust_of_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_to_string(here.join("src/studio/protocol.rs")).unwrap();
    let wanted = typescript(&syn::parse_file(&source).unwrap());
    let place = here.join("../../web/src/protocol.ts");
    if std::env::var_os("UGOKI_WRITE").is_some() {
        fs::write(&place, &wanted).unwrap();
    }
    let found = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        found == wanted,
        "web/src/protocol.ts is out of date; run `UGOKI_WRITE=1 cargo test -p ugoki-studio --test it protocol`"
    );
}

#[test]
fn unknown_fields_of_intents_and_documents_are_refused_by_name() {
    let request = serde_json::json!({ "verb": "plant", "input": "@", "output": "" });
    let document =
        serde_json::json!({ "tool": "clean", "clip": "walk", "steps": [request], "files": {}, "cuts": [] });
    let intents = serde_json::json!([
        { "intent": "hello", "version": 3 },
        { "intent": "show", "number": 1, "frame": 0 },
        { "intent": "edit", "number": 1, "frame": 0, "document": document, "commit": true, "label": "x" },
        { "intent": "undo" },
        { "intent": "redo" },
        { "intent": "poses", "stream": 1, "from": 0, "count": 1 },
        { "intent": "curves", "stream": 1, "other": null, "joint": 0 },
        { "intent": "speeds", "stream": 1 },
        { "intent": "registration" },
        { "intent": "ask", "number": 1, "request": request },
        { "intent": "save", "name": "x" },
        { "intent": "keep", "stream": 1, "name": "x" },
        { "intent": "save-pieces", "names": [] },
        { "intent": "remove", "clip": "x" },
        { "intent": "tag", "clip": "x", "add": [], "remove": [] },
        { "intent": "import", "number": 1, "files": [] },
        { "intent": "export", "number": 1, "format": "bvh" },
        { "intent": "commands", "format": "bvh" },
        { "intent": "stop" },
        { "intent": "listen", "port": 39540, "everywhere": false },
        { "intent": "silence" },
        { "intent": "record", "name": "x", "seconds": 1.0 },
        { "intent": "finish" },
        { "intent": "drive", "on": true },
    ]);
    let parse = |intent: &Value| serde_json::from_value::<Intent>(intent.clone());
    let refused = |intent: &Value| {
        let error = parse(intent).expect_err("an unknown field").to_string();
        assert!(error.contains("despik"), "{intent}: {error}");
    };
    for intent in intents.as_array().unwrap() {
        parse(intent).unwrap_or_else(|error| panic!("{intent}: {error}"));
        let mut extra = intent.clone();
        extra["despik"] = true.into();
        refused(&extra);
    }
    let mut edit = intents[2].clone();
    edit["document"]["despik"] = true.into();
    refused(&edit);
    let mut step = intents[2].clone();
    step["document"]["steps"][0]["despik"] = true.into();
    refused(&step);
}

fn typescript(file: &syn::File) -> String {
    let mut out = String::from(
        "// Generated from crates/ugoki-studio/src/studio/protocol.rs; do not edit.\n\
         // UGOKI_WRITE=1 cargo test -p ugoki-studio --test it protocol\n\n\
         import type { Request } from \"./requests\";\n\n\
         /** What JSON can be. */\nexport type Value = null | boolean | number | string | Value[] | { [key: string]: Value };\n",
    );
    for item in &file.items {
        match item {
            Item::Const(constant) => {
                let value = literal(&constant.expr);
                let _ = write!(
                    out,
                    "\n{}export const {} = {value};\n",
                    docs(&constant.attrs, ""),
                    constant.ident
                );
            }
            Item::Struct(structure) if serde(&structure.attrs).is_some() => {
                let _ =
                    write!(out, "\n{}export interface {} {{\n", docs(&structure.attrs, ""), structure.ident);
                out += &fields(&structure.fields, "  ");
                out += "}\n";
            }
            Item::Enum(choice) => {
                let tag = serde(&choice.attrs).and_then(|words| quoted(&words, "tag"));
                let _ = write!(out, "\n{}export type {} =", docs(&choice.attrs, ""), choice.ident);
                for variant in &choice.variants {
                    let name = kebab(&variant.ident.to_string());
                    let _ = write!(out, "\n{}", docs(&variant.attrs, "  "));
                    match &tag {
                        None => {
                            let _ = write!(out, "  | \"{name}\"");
                        }
                        Some(tag) if variant.fields.is_empty() => {
                            let _ = write!(out, "  | {{ {tag}: \"{name}\" }}");
                        }
                        Some(tag) => {
                            let body = fields(&variant.fields, "      ");
                            let _ = write!(out, "  | {{\n      {tag}: \"{name}\";\n{body}    }}");
                        }
                    }
                }
                out += ";\n";
            }
            _ => {}
        }
    }
    out
}

fn literal(expr: &Expr) -> String {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) => number.base10_digits().to_owned(),
            Lit::Str(text) => format!("{:?}", text.value()),
            _ => panic!("a constant that is neither number nor text"),
        },
        _ => panic!("a constant that is no literal"),
    }
}

fn fields(fields: &Fields, indent: &str) -> String {
    let mut out = String::new();
    for field in fields {
        let name = field.ident.as_ref().expect("fields have names");
        let _ = writeln!(out, "{}{indent}{name}: {};", docs(&field.attrs, indent), kind(&field.ty));
    }
    out
}

fn kind(ty: &Type) -> String {
    match ty {
        Type::Array(array) => {
            let Expr::Lit(length) = &array.len else { panic!("an array of unknown length") };
            let Lit::Int(length) = &length.lit else { panic!("an array of unknown length") };
            let each = kind(&array.elem);
            format!("[{}]", vec![each; length.base10_parse().unwrap()].join(", "))
        }
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            let inner: Vec<String> = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => (arguments.args.iter())
                    .filter_map(|argument| match argument {
                        GenericArgument::Type(ty) => Some(kind(ty)),
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            match last.ident.to_string().as_str() {
                "u16" | "u32" | "f32" | "f64" | "usize" => "number".to_owned(),
                "bool" => "boolean".to_owned(),
                "String" => "string".to_owned(),
                "Option" => format!("{} | null", inner[0]),
                "Vec" if inner[0].contains(" | ") => format!("({})[]", inner[0]),
                "Vec" => format!("{}[]", inner[0]),
                "BTreeMap" => format!("{{ [key: {}]: {} }}", inner[0], inner[1]),
                other => other.to_owned(),
            }
        }
        _ => panic!("a type that TypeScript has no word for"),
    }
}

fn docs(attributes: &[Attribute], indent: &str) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(lit) => match &lit.lit {
                    Lit::Str(text) => Some(text.value().trim().replace("[`", "`").replace("`]", "`")),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("{indent}/** {} */\n", lines.join(" ")) }
}

/// The words of the serde attribute, also where only the derive shows that a type is sent.
fn serde(attributes: &[Attribute]) -> Option<String> {
    let words = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    };
    let derived = attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("derive") && words(attribute).contains("erialize"));
    let said = attributes.iter().find(|attribute| attribute.path().is_ident("serde")).map(words);
    derived.then(|| said.unwrap_or_default())
}

fn quoted(words: &str, name: &str) -> Option<String> {
    let rest = words.split_once(&format!("{name} = \""))?.1;
    Some(rest.split_once('"')?.0.to_owned())
}

fn kebab(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_uppercase() && at > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}
