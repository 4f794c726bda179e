//! Networks and features as bytes: `UGNW` version 2 and `UGNF` version 1, little endian; varint as in `varint.rs`.
//!
//! ```text
//! UGNW  threshold f32, most u32 (0: all), interior u8, nodes u32, edges u32,
//!       for each node its number of edges varint and their targets varint, each less the one before it and 1,
//!       costs f32 × edges, [exit f32, entry f32] × edges where interior
//! UGNF  nodes u32, places u32, channels u32, weights f32 × channels, trims [f32, f32] × nodes × places,
//!       then for each node and place the start and the end: 7 f32 per channel each
//! ```

use ugoki_base::bytes::{BytesError, Reader, Writer};

use super::features::NUMBERS;
use super::{Edge, Features, Network, varint};

const NETWORK: [u8; 4] = *b"UGNW";
const FEATURES: [u8; 4] = *b"UGNF";
const NETWORK_VERSION: u16 = 2;
const FEATURES_VERSION: u16 = 1;

impl Network {
    /// Version of the bytes that [`Network::to_bytes`] writes.
    pub const BYTES_VERSION: u16 = NETWORK_VERSION;

    /// The network as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(NETWORK, NETWORK_VERSION);
        w.f32(self.threshold);
        w.u32(self.most.unwrap_or(0));
        w.u8(u8::from(self.is_interior()));
        w.count(self.num_nodes());
        w.count(self.num_edges());
        for node in 0..self.num_nodes() {
            let row = self.successors(node);
            varint::write(&mut w, row.len() as u32);
            let mut next = 0;
            for &to in row {
                varint::write(&mut w, to - next);
                next = to + 1;
            }
        }
        self.costs.iter().for_each(|&v| w.f32(v));
        self.trims.iter().flatten().for_each(|&v| w.f32(v));
        w.finish()
    }

    /// The network of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut r, _) = Reader::new(bytes, NETWORK, NETWORK_VERSION)?;
        let threshold = r.f32()?;
        if threshold.is_nan() || threshold <= 0.0 {
            return Err(r.bad(format!("a threshold of {threshold}, expected more than 0")));
        }
        let most = Some(r.u32()?).filter(|&most| most > 0);
        let interior = r.bool()?;
        let nodes = r.count(1)?;
        if nodes == 0 {
            return Err(r.bad("a network without nodes"));
        }
        let edges = r.count(5)?;
        if interior && edges == 0 {
            return Err(r.bad("transitions inside clips, but no transitions"));
        }
        let mut rows: Vec<Vec<Edge>> = Vec::with_capacity(nodes);
        let mut left = edges;
        for _ in 0..nodes {
            let count = varint::read(&mut r)? as usize;
            left = left.checked_sub(count).ok_or_else(|| r.bad("more edges than there are"))?;
            let mut row = Vec::with_capacity(count);
            let mut next = 0_u32;
            for _ in 0..count {
                let to = next.checked_add(varint::read(&mut r)?).filter(|&to| (to as usize) < nodes);
                let to = to.ok_or_else(|| r.bad("an edge to a node that is not there"))?;
                row.push(Edge { to, cost: 0.0, exit_s: 0.0, entry_s: 0.0 });
                next = to + 1;
            }
            rows.push(row);
        }
        if left > 0 {
            return Err(r.bad("edges that belong to no node"));
        }
        r.fits(edges, if interior { 12 } else { 4 })?;
        for edge in rows.iter_mut().flatten() {
            edge.cost = r.finite32()?;
            if edge.cost < 0.0 || edge.cost >= threshold || edge.cost.is_sign_negative() {
                return Err(r.bad(format!("an edge of cost {} under a threshold of {threshold}", edge.cost)));
            }
        }
        if interior {
            for edge in rows.iter_mut().flatten() {
                (edge.exit_s, edge.entry_s) = (r.finite32()?, r.finite32()?);
                if edge.exit_s < 0.0 || edge.entry_s < 0.0 {
                    return Err(r.bad("less than nothing is cut off a clip"));
                }
            }
        }
        r.finish()?;
        Ok(Self::from_rows(&rows, threshold, most, interior))
    }
}

impl Features {
    /// Version of the bytes that [`Features::to_bytes`] writes.
    pub const BYTES_VERSION: u16 = FEATURES_VERSION;

    /// The features as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(FEATURES, FEATURES_VERSION);
        w.count(self.num_nodes);
        w.count(self.places);
        w.count(self.num_channels());
        self.pose_weights.iter().for_each(|&v| w.f32(v));
        self.trims.iter().flatten().for_each(|&v| w.f32(v));
        for node in 0..self.num_nodes {
            for place in 0..self.places {
                self.start(node, place).for_each(|v| w.f32(v));
                self.end(node, place).iter().for_each(|&v| w.f32(v));
            }
        }
        w.finish()
    }

    /// The features of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut r, _) = Reader::new(bytes, FEATURES, FEATURES_VERSION)?;
        let num_nodes = r.count(8)?;
        let places = r.count(8)?;
        let channels = r.count(4)?;
        if num_nodes == 0 || places == 0 || channels == 0 || places > 16 {
            return Err(r.bad(format!("{num_nodes} nodes, {places} places, {channels} channels")));
        }
        let rows = num_nodes.saturating_mul(places);
        let stride = channels.saturating_mul(NUMBERS);
        r.fits(rows.saturating_mul(stride), 8)?;
        let mut weights = Vec::with_capacity(channels);
        for _ in 0..channels {
            weights.push(r.finite32()?);
            if weights.last().is_some_and(|&w| w < 0.0) {
                return Err(r.bad("a weight below 0"));
            }
        }
        let mut trims = Vec::with_capacity(rows);
        for _ in 0..rows {
            trims.push([r.finite32()?, r.finite32()?]);
        }
        let (mut starts, mut ends) = (Vec::with_capacity(rows * stride), Vec::with_capacity(rows * stride));
        for _ in 0..rows {
            for _ in 0..stride {
                starts.push(r.finite32()?);
            }
            for _ in 0..stride {
                ends.push(r.finite32()?);
            }
        }
        r.finish()?;
        Ok(Self::from_parts(num_nodes, places, weights, &starts, ends, trims))
    }
}
