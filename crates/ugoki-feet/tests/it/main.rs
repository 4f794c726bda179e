//! Tests of contacts, planting and metrics, one program: a module per topic.

mod codec_properties;
mod contact_captures;
mod sample_plant;
