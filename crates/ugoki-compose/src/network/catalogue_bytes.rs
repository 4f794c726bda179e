//! Catalogues as bytes: `UGNC`, version 6, little endian.
//!
//! ```text
//! settings (JSON text), clips u32: [id u64, mark u64, name text] …,
//! nodes u32: [clip u32, start u32, end u32, name text, whole u8, seconds f64, speed f64, held f64, travel 2 f32, turn f32, speeds 2 f32, climb 3 f32 (end, low, high), torso rate f64, rows u32, 6 varint per row: steps of 1/8192 rad since the row before] …,
//! then for each layer features (UGNF) and network (UGNW), each after its length
//! ```

use ugoki_base::bytes::{BytesError, Reader, Writer};

use super::{
    Catalogue, CatalogueConfig, Climb, ClipMark, Features, Network, Node, Origin, Pace, TORSO_LANES, Torso,
    varint,
};

const MAGIC: [u8; 4] = *b"UGNC";
const VERSION: u16 = 6;

/// Numbers of a torso row that are kept; the others are padding.
const KEPT_LANES: usize = 6;

impl Catalogue {
    /// Version of the bytes that [`Catalogue::to_bytes`] writes.
    pub const BYTES_VERSION: u16 = VERSION;

    /// The catalogue as bytes. Tags are not in it: they change without the clips.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(MAGIC, VERSION);
        w.text(&serde_json::to_string(&self.config).unwrap_or_default());
        w.count(self.clips.len());
        for clip in &self.clips {
            w.u64(clip.id.cast_unsigned());
            w.u64(clip.mark);
            w.text(&clip.name);
        }
        w.count(self.nodes.len());
        for (node, origin) in self.nodes.iter().zip(&self.origins) {
            w.count(origin.clip);
            w.count(origin.frames.start);
            w.count(origin.frames.end);
            w.text(&node.name);
            w.u8(u8::from(node.whole));
            w.f64(node.seconds);
            w.f64(node.pace.speed);
            w.f64(node.pace.held_s);
            node.travel.iter().for_each(|&v| w.f32(v));
            w.f32(node.turn_rad);
            node.speeds_m_s.iter().for_each(|&v| w.f32(v));
            [node.climb.end_m, node.climb.low_m, node.climb.high_m].iter().for_each(|&v| w.f32(v));
            w.f64(node.torso.rate_hz);
            w.count(node.torso.rows.len());
            let mut before = [0; KEPT_LANES];
            for row in &node.torso.rows {
                for (&v, before) in row.iter().zip(&mut before) {
                    let steps = Torso::steps(v);
                    varint::write_signed(&mut w, steps - *before);
                    *before = steps;
                }
            }
        }
        for (features, network) in self.features.iter().zip(&self.networks) {
            w.blob(&features.to_bytes());
            w.blob(&network.to_bytes());
        }
        w.finish()
    }

    /// The catalogue of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut r, _) = Reader::new(bytes, MAGIC, VERSION)?;
        let text = r.text()?;
        let config: CatalogueConfig =
            serde_json::from_str(&text).map_err(|error| r.bad(format!("settings: {error}")))?;
        let count = r.count(20)?;
        let mut clips = Vec::with_capacity(count);
        for _ in 0..count {
            let (id, mark) = (r.u64()?.cast_signed(), r.u64()?);
            clips.push(ClipMark { id, mark, name: r.text()? });
        }
        let count = r.count(72)?;
        let mut nodes = Vec::with_capacity(count);
        let mut origins = Vec::with_capacity(count);
        for _ in 0..count {
            let clip = r.u32()? as usize;
            let frames = r.u32()? as usize..r.u32()? as usize;
            if clip >= clips.len() || frames.is_empty() {
                return Err(r.bad(format!("frames {frames:?} of clip {clip} of {}", clips.len())));
            }
            let name = r.text()?;
            let whole = r.bool()?;
            let seconds = r.finite64()?;
            let pace = Pace { speed: r.finite64()?, held_s: r.finite64()? };
            if pace.speed <= 0.0 || !(0.0..seconds).contains(&pace.held_s) {
                return Err(r.bad(format!("a node of {seconds} s that plays by {pace:?}")));
            }
            let travel = [r.finite32()?, r.finite32()?];
            let turn_rad = r.finite32()?;
            let speeds_m_s = [r.finite32()?, r.finite32()?];
            let climb = Climb { end_m: r.finite32()?, low_m: r.finite32()?, high_m: r.finite32()? };
            let rate_hz = r.finite64()?;
            if seconds <= 0.0 || rate_hz <= 0.0 {
                return Err(r.bad(format!("a node of {seconds} s with {rate_hz} rows per second")));
            }
            let rows = r.count(KEPT_LANES)?;
            let mut torso = Torso { rate_hz, rows: Vec::with_capacity(rows) };
            let mut steps = [0_i32; KEPT_LANES];
            for _ in 0..rows {
                let mut row = [0.0; TORSO_LANES];
                for (lane, steps) in row.iter_mut().zip(&mut steps) {
                    let now =
                        steps.checked_add(varint::read_signed(&mut r)?).filter(|&now| Torso::is_angle(now));
                    *steps = now.ok_or_else(|| r.bad("a torso that turns too far"))?;
                    *lane = Torso::angle(*steps);
                }
                torso.rows.push(row);
            }
            nodes.push(Node {
                name,
                tags: Vec::new(),
                whole,
                seconds,
                pace,
                torso,
                travel,
                turn_rad,
                speeds_m_s,
                climb,
            });
            origins.push(Origin { clip, frames });
        }
        let (mut features, mut networks) = (Vec::new(), Vec::new());
        for _ in config.layers.layers() {
            let own = Features::from_bytes(r.blob()?)?;
            let network = Network::from_bytes(r.blob()?)?;
            if own.num_nodes() != nodes.len() || network.num_nodes() != nodes.len() {
                return Err(r.bad(format!(
                    "a network of {} nodes over {}",
                    network.num_nodes(),
                    nodes.len()
                )));
            }
            features.push(own);
            networks.push(network);
        }
        r.finish()?;
        Ok(Self { config, clips, nodes, origins, features, networks })
    }
}
