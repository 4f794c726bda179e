//! Chromosomes in flat memory: one strand of genes per layer, slots of fixed room, so that generations do not allocate.

/// One node of a walk with what the step into it costs and takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Gene {
    pub(super) node: u32,
    /// Cost of the transition from the gene before; 0 for the first.
    pub(super) cost: f32,
    /// Seconds from the start of the gene before to the start of this one; 0 for the first.
    pub(super) advance: f32,
    /// The leg that begins with this gene or that it stands in; one more than before at each anchor.
    pub(super) leg: u32,
}

/// A chromosome's fitness and its parts; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Marks {
    pub(super) f: f64,
    pub(super) f1: f64,
    pub(super) f2: f64,
    pub(super) f3: f64,
    /// Weighed sum of the users' criteria.
    pub(super) extra: f64,
    /// What legs cost that are farther off their time than stretching can mend, and how near it is to walks that were found before; no part of F,
    /// as candidates have none of it.
    pub(super) late: f64,
}

impl Marks {
    /// What the search goes by: F, and times that cannot be mended.
    pub(super) fn rank(&self) -> f64 {
        self.f + self.late
    }
}

/// Slots for chromosomes.
#[derive(Debug, Clone)]
pub(super) struct Population {
    /// Where each layer's strand begins within a slot, and the slot's whole room last.
    rooms: Vec<usize>,
    genes: Vec<Gene>,
    lens: Vec<u32>,
    pub(super) marks: Vec<Marks>,
}

impl Population {
    pub(super) fn new(slots: usize, caps: &[usize]) -> Self {
        let mut rooms = vec![0];
        for cap in caps {
            rooms.push(rooms[rooms.len() - 1] + cap);
        }
        let room = rooms[caps.len()];
        Self {
            genes: vec![Gene::default(); slots * room],
            lens: vec![0; slots * caps.len()],
            marks: vec![Marks::default(); slots],
            rooms,
        }
    }

    pub(super) fn num_layers(&self) -> usize {
        self.rooms.len() - 1
    }

    fn room(&self) -> usize {
        self.rooms[self.rooms.len() - 1]
    }

    #[inline]
    pub(super) fn strand(&self, slot: usize, layer: usize) -> &[Gene] {
        let at = slot * self.room() + self.rooms[layer];
        &self.genes[at..at + self.lens[slot * self.num_layers() + layer] as usize]
    }

    /// All of a strand's room, to write into.
    #[inline]
    pub(super) fn strand_room(&mut self, slot: usize, layer: usize) -> &mut [Gene] {
        let at = slot * self.room();
        let (from, to) = (at + self.rooms[layer], at + self.rooms[layer + 1]);
        &mut self.genes[from..to]
    }

    #[inline]
    pub(super) fn set_len(&mut self, slot: usize, layer: usize, len: usize) {
        let layers = self.num_layers();
        self.lens[slot * layers + layer] = len as u32;
    }

    /// Copies a strand; false when there is no room for it.
    pub(super) fn put(&mut self, slot: usize, layer: usize, strand: &[Gene]) -> bool {
        let room = self.strand_room(slot, layer);
        if strand.len() > room.len() {
            return false;
        }
        room[..strand.len()].copy_from_slice(strand);
        self.set_len(slot, layer, strand.len());
        true
    }

    /// Copies a whole chromosome of a population with the same rooms.
    #[inline]
    pub(super) fn copy(&mut self, slot: usize, from: &Self, from_slot: usize) {
        for layer in 0..self.num_layers() {
            self.put(slot, layer, from.strand(from_slot, layer));
        }
        self.marks[slot] = from.marks[from_slot];
    }

    /// Whether two chromosomes are the same walks.
    pub(super) fn same(&self, slot: usize, other: &Self, other_slot: usize) -> bool {
        self.marks[slot].f == other.marks[other_slot].f
            && (0..self.num_layers()).all(|layer| {
                let (a, b) = (self.strand(slot, layer), other.strand(other_slot, layer));
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.node == b.node)
            })
    }
}
