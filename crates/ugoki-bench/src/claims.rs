//! What every task is, what was aimed at, and what bounds it.

/// One line of the result pages.
pub(crate) struct Claim {
    /// Name of the task; what stands before the first dot is its page.
    pub(crate) task: &'static str,
    /// What is done, and on what.
    pub(crate) what: &'static str,
    /// What grows from row to row.
    pub(crate) grows: &'static str,
    /// Whether figures are of one frame (or of a thousand), so that the whole cost is that times the size.
    pub(crate) each: bool,
    /// Size whose figure stands in the summary.
    pub(crate) size: usize,
    /// Nanoseconds (bytes for memory) that were aimed at for that size.
    pub(crate) goal: Option<f64>,
    /// Whether the goal is one for the 99th percentile.
    pub(crate) goal_is_p99: bool,
    /// The least this work can take on this machine: its reason, and its arithmetic. Bytes count only where they come
    /// from memory, not from caches.
    pub(crate) bound: Option<Bound>,
    /// What a reader must know to judge the figures, as what a peer leaves out.
    pub(crate) note: &'static str,
    /// Why the goal is missed, in runs that miss it.
    pub(crate) short: &'static str,
    /// Whether the claim is in the summary; comparisons that need a paragraph to be fair are only on their page.
    pub(crate) in_summary: bool,
}

/// A physical limit: so many bytes moved, numbers parsed and operations done per unit of work.
pub(crate) struct Bound {
    pub(crate) bytes: f64,
    pub(crate) numbers: f64,
    pub(crate) operations: f64,
    /// Where the counts come from.
    pub(crate) why: &'static str,
}

const fn bound(bytes: f64, numbers: f64, operations: f64, why: &'static str) -> Option<Bound> {
    Some(Bound { bytes, numbers, operations, why })
}

const fn claim(task: &'static str, what: &'static str, grows: &'static str, size: usize) -> Claim {
    Claim {
        task,
        what,
        grows,
        each: false,
        size,
        goal: None,
        goal_is_p99: false,
        bound: None,
        note: "",
        short: "",
        in_summary: true,
    }
}

/// A claim about one frame of motions that get longer.
const fn per_frame(task: &'static str, what: &'static str, size: usize) -> Claim {
    Claim { each: true, ..claim(task, what, "frames", size) }
}

const MS: f64 = 1e6;
const US: f64 = 1e3;

/// All claims in the order of the pages.
pub(crate) static CLAIMS: &[Claim] = &[
    Claim {
        bound: bound(0.0, 96.0, 0.0, "96 numbers a frame, each parsed once"),
        ..per_frame("bvh.read", "BVH to a clip, 31 joints; a frame", 1000)
    },
    Claim {
        bound: bound(0.0, 96.0, 0.0, "96 numbers a frame, each parsed once"),
        ..per_frame("bvh.channels", "BVH to bare channels; a frame", 1000)
    },
    Claim {
        bound: bound(
            96.0 * 10.0,
            0.0,
            31.0 * 60.0,
            "96 numbers of ten letters written, 31 rotations solved for three angles",
        ),
        ..per_frame("bvh.write", "a clip to BVH, every rotation solved; a frame", 1000)
    },
    Claim {
        bound: bound(96.0 * 10.0, 0.0, 0.0, "96 numbers of ten letters copied"),
        ..per_frame("bvh.write.untouched", "a clip to BVH as it was read; a frame", 1000)
    },
    Claim {
        bound: bound(868.0, 0.0, 1860.0, "31 quaternion products and rotated offsets, 60 operations each"),
        ..per_frame("bvh.kinematics", "world positions of 31 joints; a frame", 1000)
    },
    Claim {
        bound: bound(31.0 * 28.0, 0.0, 31.0 * 60.0, "a quaternion product and a rotated offset per joint"),
        ..claim("bvh.joints", "world positions of a pose", "joints", 31)
    },
    claim("bvh.captures", "BVH files of the captures to clips; a megabyte, p99 over the files", "", 1),
    per_frame("retarget.held", "a walk onto a smaller body, feet held; a frame", 1000),
    per_frame("retarget.plain", "a walk onto a smaller body, feet not held; a frame", 1000),
    claim("retarget.pose", "one pose onto another body", "", 1),
    Claim {
        goal: Some(31.0 * 400.0),
        bound: bound(
            0.0,
            0.0,
            31.0 * 51.0 * 40.0,
            "51 taps of 40 operations (product, logarithm, sum) once per joint; one round, where ours goes on until it stands",
        ),
        note: "SciPy's mean is the chordal one (an eigenproblem), not the exact one, which is not offered.",
        in_summary: false,
        ..per_frame(
            "signal.filter.exact",
            "mean rotation of 51 frames (box:51), exact, 31 joints; a frame",
            1000,
        )
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            31.0 * (6.0 + 80.0),
            "a running sum of rotation vectors: one added, one taken away; a logarithm and an exponential once per joint",
        ),
        ..per_frame(
            "signal.filter.expmap",
            "mean rotation of 51 frames (box:51), exponential map, 31 joints; a frame",
            1000,
        )
    },
    Claim {
        goal: Some(31.0 * 60.0),
        bound: bound(
            0.0,
            0.0,
            31.0 * (8.0 + 12.0),
            "a running sum: one quaternion added, one taken away, one normalised per joint",
        ),
        ..per_frame(
            "signal.filter.qlerp",
            "mean rotation of 51 frames (box:51), normalised sum, 31 joints; a frame",
            1000,
        )
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            31.0 * (6.0 + 100.0),
            "a running sum of steps; a logarithm, an exponential and a product once per joint",
        ),
        ..per_frame(
            "signal.filter.leeshin",
            "mean rotation of 51 frames (box:51), Lee and Shin, 31 joints; a frame",
            1000,
        )
    },
    Claim {
        goal: Some(8.0 * US),
        bound: bound(
            0.0,
            0.0,
            31.0 * 8.0 * 40.0 * 2.0,
            "two rounds of eight products, logarithms and sums of 40 operations per joint",
        ),
        note: "SciPy's mean is the chordal one (an eigenproblem), not the exact one, which is not offered.",
        in_summary: false,
        ..per_frame("signal.blend.exact", "eight clips, exact mean; a frame of 31 joints", 1000)
    },
    Claim {
        goal: Some(400.0),
        bound: bound(
            0.0,
            0.0,
            31.0 * (8.0 * 10.0 + 12.0),
            "eight quaternions weighed and summed and one normalised per joint",
        ),
        ..per_frame("signal.blend.qlerp", "eight clips, normalised sum; a frame of 31 joints", 1000)
    },
    Claim {
        goal: Some(50.0 * MS),
        bound: bound(0.0, 0.0, 1e6 * 31.0 * 8.0, "31 products of quaternions for every pair of 1,000 frames"),
        note: "From 3,000 frames on a coarse alignment comes first and only pairs near it are looked at.",
        ..claim("signal.align", "dynamic time warping of two clips, 31 joints", "frames", 1000)
    },
    claim("signal.despike", "spikes of a clip, 31 joints", "frames", 1000),
    claim("signal.equalize", "frequency bands of a clip, 31 joints", "frames", 1000),
    Claim {
        goal: Some(150.0),
        bound: bound(
            0.0,
            0.0,
            3.0 * 200.0,
            "three handles, each of four frames of a place and a rotation: their cubic, a root and about 100 \
             operations of placing, rising and turning",
        ),
        short: "A swing of today rises over edges, keeps its toes up and goes round the standing leg, terms that the \
                paper's one cubic has not. They depend on one another, so that lanes stay empty: what bounds it in fact is \
                the first row below, a chain of dependent products on the same core.",
        ..claim("edit.handles", "hips and ankles edited at one moment", "", 1)
    },
    Claim {
        goal: Some(5.0 * US),
        bound: bound(
            0.0,
            0.0,
            31.0 * 250.0,
            "31 joints: four frames read and their cubic, world places, and the same back with the legs solved",
        ),
        ..claim("edit.pose", "edit, rebuild, rotations of 31 joints", "", 1)
    },
    claim("edit.target", "new target in mid-swing, with a copy of the player", "", 1),
    Claim {
        goal: Some(400.0 * US),
        note: "The goal is the paper's 0.40 ms. Per frame, with what is prepared for the segment. A wrist and the head, which is aimed by \
               relaxation until it is met.",
        ..claim("edit.segment", "a frame of a segment edited by two handles, body rebuilt", "frames", 60)
    },
    Claim {
        goal: Some(0.3 * 1e9 / 60.0),
        bound: bound(0.0, 0.0, 1000.0 * 31.0 * 250.0, "a thousand times what a pose takes"),
        ..claim("edit.players", "one tick of 1/60 s of all players, 31 joints", "players", 1000)
    },
    Claim {
        goal: Some(500.0),
        bound: bound(31.0 * 16.0, 0.0, 31.0 * 20.0, "31 quaternions written, each unpacked and normalised"),
        ..claim("database.decode", "a stored frame of a packed clip, 31 joints", "frames", 1000)
    },
    Claim {
        goal: Some(MS),
        bound: bound(
            31.0 * 16.0 * 1000.0,
            0.0,
            31.0 * 1000.0 * 20.0,
            "31,000 quaternions written, each put together once",
        ),
        ..per_frame("database.unpack", "a blob to a packed clip; 1,000 frames", 1000)
    },
    Claim {
        bound: bound(
            31.0 * 16.0 * 1000.0,
            0.0,
            31.0 * 1000.0 * 60.0,
            "31,000 quaternions read, packed and unpacked once to know the error",
        ),
        ..per_frame("database.pack", "a clip packed within 0.1 mm; 1,000 frames", 1000)
    },
    Claim {
        goal: Some(100.0 * MS),
        ..claim("database.open", "opening a database and finding a clip by name", "clips", 2500)
    },
    Claim {
        goal: Some(0.2 * MS),
        goal_is_p99: true,
        note: "Warping the last second against every motion, as users of a warping library do, is other work for the same end; so no \
               ratio stands in the summary.",
        ..claim("perform.frame", "one frame of a run: watch, follow, show", "motions", 100)
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            100.0 * 60.0 * 30.0 * 9.0,
            "6,000 samples of 30 distances of 9 operations; none can be left out",
        ),
        ..claim("perform.sum", "recognising alone, the paper's sum", "motions", 100)
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            100.0 * 60.0 * 30.0 * 9.0,
            "6,000 samples of 30 distances of 9 operations; none can be left out",
        ),
        ..claim("perform.dp", "recognising alone, one-pass dynamic programming", "motions", 100)
    },
    Claim {
        goal: Some(150.0 * MS),
        bound: bound(
            0.0,
            0.0,
            1e6 * 28.0,
            "the product, root and differences of one joint, 28 operations, for each of a million pairs: no pair is known without one",
        ),
        note: "Peers take plain distances of rows of numbers; ours is the cost of rotations by their angles. One large matrix product is faster \
               than looking at pairs one by one and giving up early; as a first sieve it was not tried.",
        ..claim(
            "network.brute",
            "all transitions below a threshold, 31 joints, every pair looked at",
            "clips",
            1000,
        )
    },
    claim("network.index", "all transitions below a threshold by the index", "clips", 1000),
    Claim {
        bound: bound(
            0.0,
            0.0,
            2.0 * 10.0 * 1000.0 * 28.0,
            "28 operations of one joint for the pairs of ten new clips with a thousand, both ways",
        ),
        ..claim("network.extend", "ten clips more", "clips", 1000)
    },
    Claim {
        bound: bound(
            1000.0 * 50.0 * 4.0 * 3.0,
            0.0,
            0.0,
            "50,000 edges read forwards, backwards and for components",
        ),
        note: "Ours also reports for every clip outside the largest component whether it can be entered and left.",
        ..claim("network.reach", "strongly connected components, 50 successors each", "clips", 1000)
    },
    Claim {
        goal: Some(60e9),
        ..claim(
            "network.segments.upper",
            "the index over segments of captures, upper body",
            "segments",
            100_000,
        )
    },
    Claim {
        goal: Some(60e9),
        ..claim(
            "network.segments.lower",
            "the index over segments of captures, lower body",
            "segments",
            100_000,
        )
    },
    Claim {
        goal: Some(0.05),
        ..claim(
            "network.segments.upper.missed",
            "true edges that the index misses, upper body",
            "segments",
            100_000,
        )
    },
    Claim {
        goal: Some(0.05),
        ..claim(
            "network.segments.lower.missed",
            "true edges that the index misses, lower body",
            "segments",
            100_000,
        )
    },
    Claim {
        goal: Some(1e9 / 20_000.0),
        bound: bound(
            0.0,
            0.0,
            200.0 * 15.0 * 4.0,
            "3,000 clips' numbers, lengths and costs read once, and summed",
        ),
        in_summary: false,
        ..claim(
            "compose.generation",
            "a generation of 200 walks of about 15 clips, judged by time (f1) and transitions (f2)",
            "",
            200,
        )
    },
    Claim {
        goal: Some(1e9 / 3000.0),
        bound: bound(
            0.0,
            0.0,
            200.0 * 140.0 * 30.0,
            "200 walks of 14 s at 10 Hz: a rotation of each layer multiplied and measured, 30 operations",
        ),
        in_summary: false,
        ..claim(
            "compose.generation.torso",
            "a generation of 200 walks in two layers with the torso compared (f3) at 10 Hz",
            "",
            200,
        )
    },
    Claim {
        goal: Some(300.0 * MS),
        in_summary: false,
        ..claim("compose.candidates", "ten candidates for a gap of 20 s", "clips", 1000)
    },
    Claim {
        goal: Some(300.0 * MS),
        in_summary: false,
        ..claim("compose.candidates.layers", "ten candidates for a gap of 20 s, two layers", "clips", 1000)
    },
    Claim {
        goal: Some(1.1),
        goal_is_p99: true,
        short: "In single networks (named on the page of composed motions) the best walk lies apart from the ten kinds that are kept, and \
                the search ends when ten keep F_v; why just there is not known.",
        in_summary: false,
        ..claim(
            "compose.cost.ratio",
            "F of the best candidate over that of the cheapest path, over seeds",
            "clips",
            1000,
        )
    },
    Claim {
        goal: Some(1.1),
        goal_is_p99: true,
        in_summary: false,
        ..claim(
            "compose.cost.layers.ratio",
            "F of the best candidate over that of the cheapest path, two layers, over seeds",
            "clips",
            1000,
        )
    },
    Claim {
        goal: Some(0.6),
        goal_is_p99: true,
        in_summary: false,
        ..claim("compose.alike.ratio", "overlap of two of the ten candidates, over seeds", "clips", 1000)
    },
    Claim {
        goal: Some(0.6),
        goal_is_p99: true,
        in_summary: false,
        ..claim(
            "compose.alike.layers.ratio",
            "overlap of two of the ten candidates, two layers, over seeds",
            "clips",
            1000,
        )
    },
    Claim {
        note: "Ours keeps to the time between the keys and re-ranks by F. The peers find the ten cheapest paths of the same \
               network whatever they last, which leaves out the harder part, so no ratio stands in the summary.",
        in_summary: false,
        ..claim("compose.paths", "ten candidates by cheapest paths", "clips", 1000)
    },
    Claim {
        goal: Some(3.0 * US),
        // A double takes two lanes of the floats that the machine's figure counts.
        bound: bound(
            0.0,
            0.0,
            15.0 * 270.0 * 2.0,
            "15 links, each about 270 operations in double precision: two motions \
             and a force carried over a joint, two products with an inertia, cross products",
        ),
        in_summary: false,
        ..claim("dynamics.rnea", "inverse dynamics at 36 degrees of freedom", "", 36)
    },
    Claim {
        goal: Some(3.0 * US),
        bound: bound(
            0.0,
            0.0,
            (15.0 * 150.0 + 36.0 * 5.0 * 25.0) * 2.0,
            "15 inertias carried to their parents, 36 columns carried over five joints in the mean, doubles",
        ),
        in_summary: false,
        ..claim("dynamics.crba", "mass matrix at 36 degrees of freedom", "", 36)
    },
    Claim {
        goal: Some(8.0 * US),
        bound: bound(
            0.0,
            0.0,
            15.0 * 600.0 * 2.0,
            "15 links, each about 600 operations in double precision: an articulated inertia carried over a joint and reduced by its axes",
        ),
        in_summary: false,
        ..claim("dynamics.aba", "forward dynamics at 36 degrees of freedom", "", 36)
    },
    Claim { in_summary: false, ..claim("dynamics.kinematics", "places and velocities of all links", "", 36) },
    Claim {
        in_summary: false,
        ..claim("dynamics.centroid", "centre of mass and momentum of a placed body", "", 36)
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            36.0 * 36.0 * 36.0 / 3.0 * 2.0 * 0.4,
            "a third of 36³ products and sums in double precision, of which limbs that do not meet leave out more than half",
        ),
        in_summary: false,
        ..claim("dynamics.factor", "factors of the mass matrix", "", 36)
    },
    Claim {
        bound: bound(
            0.0,
            0.0,
            36.0 * 36.0 * 2.0 * 2.0 * 0.5,
            "the factor read twice, half of it zeros between limbs",
        ),
        in_summary: false,
        ..claim("dynamics.solve", "a solution with these factors", "", 36)
    },
    Claim {
        in_summary: false,
        ..claim("dynamics.hold", "mass matrix, factors and 12 contact rows, both feet held", "", 36)
    },
    Claim { in_summary: false, ..claim("dynamics.impulse", "answer to an impulse, both feet held", "", 36) },
    Claim {
        goal: Some(60.0 * US),
        bound: bound(
            0.0,
            0.0,
            (2.0 * 15.0 * 270.0 + 6750.0 + 6220.0 + 24.0 * 1300.0) * 2.0,
            "inverse dynamics twice, mass matrix and factors, 24 contact rows through the factors, in double precision; \
             relief and balance come on top",
        ),
        note: "A bare step of MuJoCo has no target, no relief of joints, no balance and no floor under the feet here.",
        ..claim("react.step", "control step of a squat under 8 kg", "", 1)
    },
    Claim {
        goal: Some(250.0 * US),
        note: "Without rollouts, which come on top after a blow (`react.foresee`).",
        ..claim("react.frame", "frame at 30 fps of a squat under 8 kg", "", 1)
    },
    Claim {
        goal: Some(1e9 / 30.0),
        note: "No rollouts here: blows are answered as usual. A rollout set is hundreds to thousands of steps of one character.",
        ..claim("react.characters", "one frame at 30 fps of all reacting characters", "characters", 100)
    },
    Claim {
        note: "After a blow the next step waits for it. Easy blows are answered at the first trial or two, hard ones try up to 53 answers.",
        ..claim("react.foresee", "a look ahead after a blow", "", 1)
    },
    Claim {
        note: "The import of a Python package is what its user waits for first; it does more than start.",
        in_summary: false,
        ..claim("program.start", "the program started, asked for its version", "", 1)
    },
    claim("program.info", "`ugoki info` of a walk, whole process", "frames", 10_000),
    claim("program.memory", "greatest memory of `ugoki info` of a walk", "frames", 10_000),
];

/// One page of figures.
pub(crate) struct Page {
    /// What its tasks' names begin with; also the file's name.
    pub(crate) topic: &'static str,
    pub(crate) title: &'static str,
    /// What the work was done on.
    pub(crate) data: &'static str,
}

const fn page(topic: &'static str, title: &'static str, data: &'static str) -> Page {
    Page { topic, title, data }
}

/// All pages in order.
pub(crate) const PAGES: [Page; 11] = [
    page(
        "bvh",
        "Reading and writing BVH",
        "The sample actor's walk on 31 joints, repeated; every BVH file of the captures.",
    ),
    page(
        "retarget",
        "Retargeting",
        "The sample actor's walk on 31 joints, onto the sample actor a tenth smaller.",
    ),
    page(
        "signal",
        "Filtering, blending and aligning",
        "31 joints that swing as limbs do, 120 frames a second; other takes are the same with every joint turned a little.",
    ),
    page(
        "edit",
        "Editing and players",
        "The sample actor's walk on 31 joints, in the middle of a changed step.",
    ),
    page(
        "database",
        "The motion database",
        "The swinging joints of the signal page; databases of half-second walks.",
    ),
    page(
        "perform",
        "Performing through an actor",
        "The sample actor's motions in several styles, 60 samples of 30 points each; the performer shakes by a centimetre.",
    ),
    page(
        "network",
        "Motion networks",
        "Clips of 31 joints between 40 postures with noise; segments are cut from captures, mirrored, retimed and bent.",
    ),
    page(
        "compose",
        "Composing",
        "Networks whose clips begin and end at random points in four dimensions, each followed by its 50 nearest.",
    ),
    page("dynamics", "Dynamics", "The sample actor's body, 36 degrees of freedom, 64 random states in turn."),
    page(
        "react",
        "Reacting",
        "The sample actor's squat, walk and idle at 30 frames a second, four steps a frame.",
    ),
    page("program", "Start-up and memory", "The released binary on BVH files of the sample actor's walk."),
];
