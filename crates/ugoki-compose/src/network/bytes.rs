//! Networks and features as bytes: `UGNW` and `UGNF`, version 1, little endian.
//!
//! ```text
//! UGNW  threshold f32, most u32 (0: all), interior u8, nodes u32, edges u32,
//!       row ends u32 × nodes, targets u32 × edges, costs f32 × edges, [exit f32, entry f32] × edges where interior
//! UGNF  nodes u32, places u32, channels u32, weights f32 × channels, trims [f32, f32] × nodes × places,
//!       then for each node and place the start and the end: 7 f32 per channel each
//! ```

use ugoki_base::bytes::{BytesError, Reader, Writer};

use super::features::NUMBERS;
use super::{Edge, Features, Network};

const NETWORK: [u8; 4] = *b"UGNW";
const FEATURES: [u8; 4] = *b"UGNF";
const VERSION: u16 = 1;

impl Network {
    /// Version of the bytes that [`Network::to_bytes`] writes.
    pub const BYTES_VERSION: u16 = VERSION;

    /// The network as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(NETWORK, VERSION);
        w.f32(self.threshold);
        w.u32(self.most.unwrap_or(0));
        w.u8(u8::from(self.is_interior()));
        w.count(self.num_nodes());
        w.count(self.num_edges());
        self.offsets[1..].iter().for_each(|&v| w.u32(v));
        self.targets.iter().for_each(|&v| w.u32(v));
        self.costs.iter().for_each(|&v| w.f32(v));
        self.trims.iter().flatten().for_each(|&v| w.f32(v));
        w.finish()
    }

    /// The network of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut r, _) = Reader::new(bytes, NETWORK, VERSION)?;
        let threshold = r.f32()?;
        if threshold.is_nan() || threshold <= 0.0 {
            return Err(r.bad(format!("a threshold of {threshold}, expected more than 0")));
        }
        let most = Some(r.u32()?).filter(|&most| most > 0);
        let interior = r.bool()?;
        let nodes = r.count(4)?;
        if nodes == 0 {
            return Err(r.bad("a network without nodes"));
        }
        let edges = r.count(8)?;
        if interior && edges == 0 {
            return Err(r.bad("transitions inside clips, but no transitions"));
        }
        r.fits(nodes, 4)?;
        let mut ends = Vec::with_capacity(nodes);
        for _ in 0..nodes {
            let end = r.u32()? as usize;
            if end > edges || end < ends.last().copied().unwrap_or(0) {
                return Err(r.bad(format!("a row that ends at edge {end} of {edges}")));
            }
            ends.push(end);
        }
        if ends.last() != Some(&edges) {
            return Err(r.bad("edges that belong to no node"));
        }
        r.fits(edges, if interior { 16 } else { 8 })?;
        let targets = (0..edges).map(|_| r.u32()).collect::<Result<Vec<u32>, _>>()?;
        let mut rows: Vec<Vec<Edge>> = Vec::with_capacity(nodes);
        let mut start = 0;
        for &end in &ends {
            let row = &targets[start..end];
            if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&to| to as usize >= nodes) {
                return Err(r.bad("a row whose targets are not ascending nodes"));
            }
            rows.push(row.iter().map(|&to| Edge { to, cost: 0.0, exit_s: 0.0, entry_s: 0.0 }).collect());
            start = end;
        }
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
    pub const BYTES_VERSION: u16 = VERSION;

    /// The features as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(FEATURES, VERSION);
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
        let (mut r, _) = Reader::new(bytes, FEATURES, VERSION)?;
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
