//! What of Ugoki talks to the outside while it runs. So far: live motion over UDP.

pub mod live;
