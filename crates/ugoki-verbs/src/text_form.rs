//! Option values with a text form: `33f`, `0.7:0.3`, `8@chest`. The same text is used on the command line and in JSON.

/// Implements JSON and its schema through `Display`; parsing is `FromStr`.
macro_rules! text_form {
    ($($type:ty => $name:literal, $description:literal;)*) => {
        $(impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $description })
            }
        })*
    };
}
pub(crate) use text_form;

/// Serializes a list of values in their text form, for types whose reports have another form.
pub(crate) fn as_texts<T: std::fmt::Display, S: serde::Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}
