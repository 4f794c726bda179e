//! Every request is also a JSON document and a command line, and all three mean the same.

use clap::{Command, FromArgMatches as _, Subcommand as _};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use ugoki::math::Random;
use ugoki_verbs::{Request, request_schema, verb_names};

/// Texts that options with a syntax of their own accept, by field; any other text is a name.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("at", &["1.5", "33f"]),
    ("feet", &["all", "seam", "free"]),
    ("format", &["bvh", "glb"]),
    ("groups", &["bat=rightHand,rightLowerArm", "kick=leftFoot"]),
    ("handles", &["rightHand@0.3,1.2,-0.4", "Spine1@+0,0,0.1,0,1,0@33f"]),
    ("kernel", &["box:51", "gauss:2.5", "binomial:9", "savgol:11,3", "taps:1,2,1"]),
    ("loads", &["8@chest", "2.5@leftHand:0,-0.1,0"]),
    ("pushes", &["1.0,leftUpperArm,0,0,-25", "60f,chest,8,0,-10.5"]),
    ("range", &["0.5:2", "33f:173f", "1.5:"]),
    ("rebuild", &["relax:12", "closed"]),
    ("scale", &["2", "0.5", "auto"]),
    ("seconds", &["2:10", ":0.5", "3:"]),
    ("segment", &["0.5:2", "33f:173f", "1.5:"]),
    ("size", &["1200", "640x480"]),
    ("speed", &["1:1.5", "2:"]),
    ("stride", &["0.5", "0.7:0.3"]),
    ("to", &["bvh", "glb", "npz"]),
    ("trim", &["0.5:2", ":33f", "1.5:"]),
    ("unit", &["m", "cm", "in"]),
    ("weights", &["1,20,5"]),
];

/// Names of files with spaces, minus signs and other scripts.
const NAMES: &[&str] =
    &["walk.bvh", "a b; c.bvh", "-odd.bvh", "動き.glb", "moves.ugoki#16_15", "x=y.fbx", "it's"];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.index(from.len())]
}

/// A value that the schema of a field allows.
fn value(field: &str, schema: &Value, root: &Value, random: &mut Random) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return value(field, &root["$defs"][name], root, random);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[random.index(values.len())].clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            return value(field, &choices[random.index(choices.len())], root, random);
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[random.index(kinds.len())].as_str().unwrap_or("null").to_owned(),
        kind => kind.as_str().unwrap_or("string").to_owned(),
    };
    match kind.as_str() {
        "null" => Value::Null,
        "boolean" => Value::from(random.index(2) == 1),
        "integer" => Value::from(1 + random.index(20)),
        // A quarter is exact in every float.
        "number" => Value::from(0.25 * (1 + random.index(40)) as f64),
        "array" => {
            let items = 1 + random.index(3);
            (0..items).map(|_| value(field, &schema["items"], root, random)).collect()
        }
        _ => {
            let known = EXAMPLES.iter().find(|(name, _)| *name == field);
            // Of two options called weights only one takes keys; both take three numbers.
            Value::from(pick(random, known.map_or(NAMES, |(_, texts)| texts)))
        }
    }
}

/// A request of a verb with some of its optional fields.
fn request(verb: &str, random: &mut Random) -> Value {
    let words: Vec<&str> = verb.split(' ').collect();
    let schema = request_schema(&words).expect("every verb has a schema");
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut fields = Map::new();
    for (name, field) in schema["properties"].as_object().expect("an object") {
        if required.iter().any(|other| other == name) || random.index(3) == 0 {
            fields.insert(name.clone(), value(name, field, &schema, random));
        }
    }
    Value::Object(fields)
}

fn parse(words: &[String]) -> Result<Request, clap::Error> {
    let command = Request::augment_subcommands(Command::new("ugoki").no_binary_name(true));
    Request::from_arg_matches(&command.try_get_matches_from(words)?)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn requests_command_lines_and_json_mean_the_same(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        for verb in verb_names() {
            let fields = request(&verb, &mut random);
            // Options that exclude each other are refused; a message is all that is asked then.
            let Ok(request) = Request::from_value(&fields) else { continue };
            let words = request.command_line();
            let parsed = parse(&words).map_err(|error| TestCaseError::fail(format!("{words:?}: {error}")))?;
            prop_assert_eq!(&parsed, &request, "{:?}", words);
            let text = serde_json::to_string(&request).expect("a document");
            let read: Request = serde_json::from_str(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
            prop_assert_eq!(&read, &request, "{}", text);
            prop_assert_eq!(request.name(), verb);
        }
    }
}

/// The generator above would prove nothing if most of its requests were refused.
#[test]
fn most_random_requests_are_possible() {
    let mut random = Random::new(7);
    for verb in verb_names() {
        let tries: Vec<_> = (0..40).map(|_| Request::from_value(&request(&verb, &mut random))).collect();
        let possible = tries.iter().filter(|request| request.is_ok()).count();
        let refusal = tries.iter().find_map(|request| request.as_ref().err()).map(ToString::to_string);
        assert!(possible >= 10, "{verb}: {possible} of 40 requests are possible; {refusal:?}");
    }
}

#[test]
fn unknown_fields_are_refused_by_name() {
    let wrong = json!({ "verb": "filter", "input": "a.bvh", "output": "b.bvh", "despik": true });
    let message = Request::from_value(&wrong).unwrap_err().to_string();
    assert!(message.contains("\"despik\""), "{message}");
    let missing = Request::from_value(&json!({ "verb": "filter" })).unwrap_err().to_string();
    assert!(missing.contains("\"input\""), "{missing}");
    let verb = Request::from_value(&json!({ "verb": "fliter" })).unwrap_err().to_string();
    assert!(verb.contains("filter"), "{verb}");
    let action = json!({ "verb": "filter", "action": "x", "input": "a.bvh", "output": "b.bvh" });
    assert!(Request::from_value(&action).unwrap_err().to_string().contains("action"));
    let kind = json!({ "verb": "filter", "input": "a.bvh", "output": "b.bvh", "despike": "yes" });
    assert!(Request::from_value(&kind).unwrap_err().to_string().contains("despike"));
}

/// Symptom: a list as input and a text as number were accepted, and messages showed options of the command line.
#[test]
fn mistyped_fields_are_refused_by_name() {
    let filter = json!({ "verb": "filter", "input": "a.bvh", "output": "b.bvh", "kernel": "box:3" });
    assert!(Request::from_value(&filter).is_ok());
    for (field, value, expected) in [
        ("input", json!(["a.bvh", "b.bvh"]), "expected text"),
        ("kernel", json!(3), "expected text"),
        ("kernel", json!("box:x"), "\"kernel\" cannot be \"box:x\""),
        ("edge", json!("mirror"), "\"reflect\""),
        ("despike", json!("yes"), "expected true or false"),
        ("fps", json!("60"), "has no field \"fps\""),
        ("source_fps", json!("60"), "expected a number"),
    ] {
        let mut wrong = filter.clone();
        wrong[field] = value;
        let message = Request::from_value(&wrong).expect_err(field).to_string();
        assert!(message.contains(expected) && message.contains(field), "{field}: {message}");
        assert!(!message.contains("--"), "{message}");
    }
    let convert = json!({ "verb": "convert", "inputs": "a.bvh", "output": "b.bvh" });
    let message = Request::from_value(&convert).unwrap_err().to_string();
    assert!(message.contains("\"inputs\"") && message.contains("a list of text"), "{message}");
}

#[test]
fn performance_requests_are_command_lines_and_back() {
    let run = json!({"verb": "perform", "action": "run", "model": "m.ugoki", "input": "vmc:39540",
        "output": "out.bvh", "buffer_ms": 40, "amount": 0.1, "mirror": "yes", "method": "dp"});
    let learn = json!({"verb": "perform", "action": "learn", "inputs": ["a.bvh", "b.bvh"],
        "output": "m.ugoki", "pair": "dtw"});
    let record = json!({"verb": "record", "input": "vmc:39540", "output": "a.bvh", "silence": 2.5});
    let stream =
        json!({"verb": "stream", "input": "-", "output": "vmc:39540", "repeat": true, "one_euro": "1,0.5"});
    for (request, line) in [
        (
            run,
            "perform run --input=vmc:39540 --output=out.bvh --buffer=40 --method=dp --amount=0.1 --mirror=yes m.ugoki",
        ),
        (learn, "perform learn --output=m.ugoki --pair=dtw a.bvh b.bvh"),
        (record, "record --input=vmc:39540 --output=a.bvh --silence=2.5"),
        (stream, "stream --output=vmc:39540 --loop --one-euro=1,0.5 -"),
    ] {
        let request = Request::from_value(&request).unwrap();
        assert_eq!(request.command_line().join(" "), line);
        let value = serde_json::to_value(&request).unwrap();
        assert_eq!(Request::from_value(&value), Ok(request));
    }
}
