//! Tests of the studio and its live tools, one program: a module per topic.

mod bundle;
mod commands;
mod desk;
mod history;
mod live_tools;
mod protocol;
mod refusals;
mod server;
mod tools;
