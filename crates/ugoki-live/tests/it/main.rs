//! Tests of live motion, one program: a module per topic.

mod recording;
