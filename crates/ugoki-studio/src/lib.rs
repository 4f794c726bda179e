//! What of Ugoki talks to the outside while it runs: the studio in a browser, and live motion over UDP.

pub mod live;
pub mod studio;
