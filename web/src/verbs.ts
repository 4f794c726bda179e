// Generated from the verbs of crates/ugoki-verbs; do not edit.
// UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it typescript

/** Shows what is in a motion file. */
export interface Info {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Motion file, or - for standard input */
  file: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "info";
}

/** Validates motion files and explains every problem: line, severity and what was assumed. */
export interface Check {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Motion files, folders or patterns */
  files: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Exit code 1 also when a file that can be used has a problem of severity error */
  strict?: boolean;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "check";
}

/** Converts motion files, changing what the options say. */
export interface Convert {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Which standing feet are held; of a motion that is moved onto another skeleton */
  feet?: "all" | "seam" | "free";
  /** Frames per second of the result */
  fps?: number | null;
  /** Motion files, folders or patterns; without -o the last one is the file to write */
  inputs: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Swap left and right */
  mirror?: boolean;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or folder for one file per input: several inputs, a folder, a slash at the end or no ending mean a folder */
  output?: string | null;
  /** Move the motion onto this file's skeleton, feet that stand held; a file of the same format is written in its unit, axes and channels. A clip of a database is named as moves.ugoki#walk */
  retarget?: string | null;
  /** Play backwards */
  reverse?: boolean;
  /** What becomes of travel over the ground: extract puts it into a ground-level joint `root`, in-place removes it, turning included */
  root_motion?: "keep" | "extract" | "in-place";
  /** Factor on the source's lengths, or `auto` for true size in --unit */
  scale?: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Play this many times as fast, at the same rate */
  speed?: number | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** Format of the files: in the folder, or on standard output; bvh, glb, … [default: bvh] */
  to?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Only this interval: seconds, or frames with an f */
  trim?: string | null;
  /** Unit for --scale auto [default: cm] */
  unit?: "m" | "cm" | "in" | null;
  /** Which way is up in the result (default: as in the source, or the file retargeted to) */
  up?: "y" | "z" | null;
  verb: "convert";
}

/** Removes foot skate and levels the floor. */
export interface Plant {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Which contacts are held: labels that the file has (NPZ, glTF), or those found in the motion */
  contacts?: "file" | "detect";
  /** Motion file or folder, or - for standard input */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "plant";
}

/** Measures how far two motions are apart. */
export interface Compare {
  /** First motion file; its rate is used */
  a: string;
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Second motion file */
  b: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** JSON file {"mean": […], "std": […]}, x y z of each compared joint in the order of `compared.joints`, for LAFAN1's normalised L2P */
  stats?: string | null;
  /** Refuse motions of another rate or skeleton instead of adapting them */
  strict?: boolean;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "compare";
}

/** Draws a motion: contact sheet (.png), vector drawing (.svg) or animation (.gif). */
export interface Render {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Draw corrections, ZMP and support polygon of a report that `react --report` wrote */
  forces?: string | null;
  /** How many poses to show */
  frames?: number | null;
  /** Motion file or folder, or - for standard input */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Width, or width and height, in pixels */
  size?: string | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** With --forces: the motion that was followed, drawn in grey; the report's input when not given */
  target?: string | null;
  /** Format of the files: in the folder, or on standard output [default: png] */
  to?: "png" | "svg" | "gif" | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Only this interval: seconds, or frames with an f */
  trim?: string | null;
  verb: "render";
  /** From where it is seen */
  view?: "front" | "side" | "three-quarter";
}

/** Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions. */
export interface Filter {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Estimate the noise of every joint and choose its kernel */
  auto?: boolean;
  /** First remove glitches of up to a tenth of a second, and say which */
  despike?: boolean;
  /** What happens where the kernel reaches over an end */
  edge?: "copy" | "reflect" | "clamp" | "truncate";
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** Motion file or folder, or - for standard input */
  input: string;
  /** box:TAPS, gauss:SIGMA_FRAMES, binomial:TAPS, savgol:TAPS,DEGREE, taps:W,W,W, one-euro:CUTOFF_HZ,BETA (as live; BETA in Hz per rad/s) or one-euro-zero-lag:CUTOFF_HZ,BETA (forward and backward) */
  kernel?: string | null;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** How rotations are combined; article is the published algorithm, the raw ones show what goes wrong without care for signs */
  method?: "path" | "exact" | "expmap" | "article" | "qlerp" | "leeshin" | "qlerp-raw" | "log-raw";
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "filter";
}

/** Scales the frequency bands of a motion, like a graphic equalizer. */
export interface Equalize {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** One gain per band, lowest frequency first; bands without one keep gain 1 */
  gains: number[];
  /** Motion file or folder, or - for standard input */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Only this part of the body */
  part?: "upper" | "lower" | "torso" | "head" | "left-arm" | "right-arm" | "left-leg" | "right-leg" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "equalize";
}

/** Mixes any number of motions into one. */
export interface Blend {
  /** Match moments, places and planted feet first, or mix frame by frame as they are, up to the end of the shortest */
  align?: "time" | "none";
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** Motion files; skeleton and rate are the first one's */
  inputs: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Refuse motions of another rate or skeleton instead of adapting them */
  strict?: boolean;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "blend";
  /** One weight per motion, or keys TIME:WEIGHT/TIME:WEIGHT in seconds, or frames with an f [default: equal] */
  weights?: string | null;
}

/** Finds the best cycle of a motion and closes it without a seam. */
export interface Loop {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** How long each seam is spread: half at the end of the cycle, half at its start */
  blend_s?: number;
  /** How many repeats to write */
  cycles?: number;
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** Take the travel out, as on a treadmill */
  in_place?: boolean;
  /** Motion file or folder, or - for standard input */
  input: string;
  /** The cycle that covers most of the motion, also of a walk */
  longest?: boolean;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** The cycle: its first moment, and the one that should look like it */
  range?: string | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Whether a stride must go straight, turning by at most 10°: auto takes a straight one if its seam is at most 1.5 times the best */
  straight?: "auto" | "yes" | "no";
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "loop";
}

/** Bends a segment so that hands, feet or other joints end where, and if asked how fast, they must. */
export interface Edit {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** How the displacement is distributed over the segment: i/n; by speed, without the velocity; position and velocity at once; or the position first, then the velocity */
  distribute?: "linear" | "position" | "one-stage" | "two-stage";
  /** Where a joint must be at the segment's end, or at a time inside it; may be repeated */
  handles: string[];
  /** Motion file or folder, or - for standard input */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Draw a plot: paths of each handle by the four distributions */
  plot?: string | null;
  /** How the body is rebuilt around its handles: particle relaxation with so many sweeps, or closed form */
  rebuild?: string;
  /** The segment; the whole motion when not given */
  segment?: string | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "edit";
}

/** Joins motions end to start into one. */
export interface Splice {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** How long each seam is spread: half before it, half after */
  blend_s?: number;
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** Database with captured steps, starts and stops; where no cut lets the hips follow, at most 1.5 s of one of its motions is inserted */
  from?: string | null;
  /** Motion files in order; skeleton and rate are the first one's */
  inputs: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Refuse motions of another rate or skeleton instead of adapting them */
  strict?: boolean;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Most that may be left out on each side of a seam, where the motions meet better there; 0 joins the last frame to the first */
  trim_s?: number;
  verb: "splice";
}

/** Cuts a long take into rests and simple movements. */
export interface Segment {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Movements are cut where the speed falls to this ratio of its peaks before and after */
  dip?: number;
  /** With --method paper, shorter bells are dropped if they are also slower than --peak, seconds */
  duration_s?: number;
  /** A rigid group whose speed is looked at, instead of those by role: bat=rightHand,rightLowerArm; may be given several times */
  groups?: string[];
  /** Motion file or folder, or - for standard input */
  input: string;
  /** With --method paper, longer bells are dropped, seconds */
  longest_s?: number | null;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Cuts nearer to each other than this become one, seconds */
  merge_s?: number;
  /** How to cut: rests and turns, or the bells of speed of the paper */
  method?: "turns" | "paper";
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Folder to write one clip per piece into; made if missing */
  output?: string | null;
  /** Shorter stillness is no rest, seconds */
  pause_s?: number;
  /** See --duration, metres per second */
  peak_m_s?: number;
  /** Draw a plot: speeds, bells and cuts */
  plot?: string | null;
  /** What moves no faster than this is still, metres per second */
  quiet_m_s?: number;
  /** With --method paper, a bell begins and ends below this ratio of its greatest speed */
  rest?: number;
  /** Width over which positions are smoothed, seconds */
  smooth_s?: number;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "segment";
}

/** Makes a model of actors' motions, and of imitations of them if there are any. */
export interface PerformLearn {
  action: "learn";
  /** Learn without imitations: performers are followed without; `--method paper` needs them */
  alone?: boolean;
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** An actor's motion, an imitation of it, the next actor's motion, …; imitations of one motion are pooled. With --alone actors' motions only */
  inputs: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Model to write: a database; one that exists is added to */
  output: string;
  /** The imitation follows the actor with one lag, or takes its own time */
  pair?: "lag" | "dtw";
  /** Draw a plot: the measured and the estimated objective */
  plot?: string | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "perform";
}

/** Plays the actor's motion as the performer goes through it. */
export interface PerformRun {
  action: "run";
  /** How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only */
  amount?: number;
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Hold packets back for so long, to put those that arrive out of order into order; for live input */
  buffer_ms?: number;
  /** Performance: a motion file or folder, - for standard input, or vmc:PORT for a live stream; - with a live output performs each row of a BVH as it comes */
  input: string;
  /** Show everything so much later, to know more of the performance; up to 0.5. `follow` only */
  lookahead?: number;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum */
  method?: "follow" | "paper" | "dp";
  /** Whether the performer uses the other hand and foot than the actor; auto finds out while following */
  mirror?: "auto" | "no" | "yes";
  /** Model that `learn` wrote; moves.ugoki#kick for one motion of it */
  model: string;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Motion file or folder to write, - for standard output, or vmc:HOST:PORT to send it live */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only */
  unknown?: number;
  verb: "perform";
}

/** Says which motion a performance is, frame by frame. */
export interface PerformRecognize {
  action: "recognize";
  /** How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only */
  amount?: number;
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Performance: a motion file, or - for standard input */
  input: string;
  /** Show everything so much later, to know more of the performance; up to 0.5. `follow` only */
  lookahead?: number;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum */
  method?: "follow" | "paper" | "dp";
  /** Whether the performer uses the other hand and foot than the actor; auto finds out while following */
  mirror?: "auto" | "no" | "yes";
  /** Model that `learn` wrote; moves.ugoki#kick for one motion of it */
  model: string;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only */
  unknown?: number;
  verb: "perform";
}

/** Says how well a model is followed: its motions on other bones, slower, faster, smaller, shaken and with a pause. */
export interface PerformEvaluate {
  action: "evaluate";
  /** How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only */
  amount?: number;
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** A take of yours to change instead of the model's motions; what is shown of it as it is counts as right */
  input?: string | null;
  /** Show everything so much later, to know more of the performance; up to 0.5. `follow` only */
  lookahead?: number;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum */
  method?: "follow" | "paper" | "dp";
  /** Whether the performer uses the other hand and foot than the actor; auto finds out while following */
  mirror?: "auto" | "no" | "yes";
  /** Model that `learn` wrote; moves.ugoki#kick for one motion of it */
  model: string;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only */
  unknown?: number;
  verb: "perform";
}

/** Plays a motion as a live stream for tools that listen to the VMC protocol. */
export interface Stream {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Motion file, or - for standard input */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Smooth as a One-Euro filter does live: cut-off at rest, and its rise per radian per second, in hertz, such as 1,0.5 */
  one_euro?: string | null;
  /** Where to: vmc:HOST:PORT, or vmc:PORT on this machine */
  output: string;
  /** Begin again at the end, until Ctrl-C */
  repeat?: boolean;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "stream";
}

/** Keeps a live stream of the VMC protocol as a motion file. */
export interface Record {
  /** Hold packets back for so long, to put those that arrive out of order into order */
  buffer_ms?: number;
  /** Frames per second of the result */
  fps?: number;
  /** Where from: vmc:PORT on this machine, or vmc:HOST:PORT to listen on the network */
  input: string;
  /** Motion file to write */
  output: string;
  /** Stop after so many seconds of motion */
  seconds?: number | null;
  /** Stop when nothing came for so many seconds, counted from the first frame */
  silence?: number;
  verb: "record";
}

/** Makes a motion answer to weights, pushes and thrown objects like a person with limited strength who keeps balance. */
export interface React {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** What differs from the tables about the body: masses, strengths, limits */
  body?: string | null;
  /** Part of its strength that a joint bears without discomfort, 0 to 10; 0.15 when not given */
  comfort?: number | null;
  /** What is done against loads and blows */
  control?: "on" | "off" | "paper";
  /** Write the body as it is simulated, loads welded on: .xml (MJCF) or .urdf */
  export_body?: string | null;
  /** Let no joint give more than its strength, also where the motion itself takes more */
  human_strength?: boolean;
  /** Motion file or folder, or - for standard input */
  input: string;
  /** A mass carried: kilograms at a joint, and metres from it; may be repeated */
  loads?: string[];
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Mass of the body without loads, 5 to 500 kg; 65 when not given */
  mass_kg?: number | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Draw a plot: error, balance, strain and corrections */
  plot?: string | null;
  /** A blow: when, on which joint, impulse in N·s in world axes; may be repeated */
  pushes?: string[];
  /** Write the report of every frame: .json or .csv */
  report?: string | null;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Factor on the strength of all joints, 0.001 to 1000; 1 when not given */
  strength?: number | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** Balls and boxes that meet the body: position, velocity, mass, shape, time */
  throw?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** How the motion is followed; deviation when not given, extremum with --control paper */
  tracking?: "deviation" | "extremum" | null;
  verb: "react";
}

/** Puts every footfall of a captured walk where you want it. */
export interface Walk {
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Move impossible steps to the nearest possible place instead of refusing them */
  clamp?: boolean;
  /** How many steps [default: as many as the source has] */
  count?: number | null;
  /** Motion file or database clip that walks, or a folder, or a database: then its walk with the nearest steps */
  input: string;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** File to write, or - for standard output; a folder when the input is a folder */
  output: string;
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** File with footsteps */
  steps?: string | null;
  /** Distance between successive footfalls, metres, or from the first to the last as 0.7:0.3 [default: the source's] */
  stride?: string | null;
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  /** Turn to the left over the whole walk, degrees; to the right when negative */
  turn?: number | null;
  verb: "walk";
}

/** Builds or shows the motion network: which motion may follow which, layer by layer. */
export interface Network {
  /** Let motions last whole beats of this tempo */
  bpm?: number | null;
  /** Database, or sample for the built-in one */
  database: string;
  /** Let motions be entered and left up to so many seconds inside */
  interior_s?: number;
  /** Only this layer; full is the whole body in one */
  layer?: string | null;
  /** Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers */
  layers?: string;
  /** Keep only so many transitions into and out of each motion, the cheapest; 0 keeps all */
  most?: number;
  /** Draw a plot: motions and their transitions */
  plot?: string | null;
  /** Leave out transitions that cost this much or more, rad² [default: 0.05, and more where nothing else fits] */
  threshold?: number | null;
  verb: "network";
  /** Use clips only as a whole, not their single movements */
  whole?: boolean;
}

/** Fills a timeline of key motions from a database, several ways to choose from. */
export interface Compose {
  /** Avoid clips with this tag; may be given several times */
  avoid?: string[];
  /** How long each seam is spread */
  blend_s?: number;
  /** Let motions last whole beats of this tempo */
  bpm?: number | null;
  /** Performances wanted */
  candidates?: number;
  /** Allow clips that climb, though there may be no steps where they are shown; genetic-paper does */
  climb?: boolean;
  /** Where genetic-paper cuts sequences: by the paper's figure, or by its text */
  cut_rule?: "figure" | "text";
  /** Database, or sample for the built-in one */
  database: string;
  /** Travel this way, degrees to the left of where the motion starts facing */
  direction?: number | null;
  /** Least difference between two performances, as a ratio of their clips */
  distance?: number;
  /** How much gaps must be filled as energetically as their key motions move; 0 lets them be any [default: 1; of genetic-paper 0] */
  energy?: number | null;
  /** Which standing feet are held */
  feet?: "all" | "seam" | "free";
  /** Generations after which fewer performances are enough */
  generations?: number;
  /** Layer of the key motions from lyrics; all layers when left out */
  gesture_layer?: string | null;
  /** Words and the clips or tags they stand for, TOML or JSON */
  gestures?: string | null;
  /** Let motions be entered and left up to so many seconds inside */
  interior_s?: number;
  /** Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers */
  layers?: string;
  /** Write F of each generation of genetic-paper */
  log?: string | null;
  /** Lyrics with times, whose words become key motions */
  lyrics?: string | null;
  /** How gaps are filled */
  method?: "genetic" | "genetic-paper" | "beam" | "paths";
  /** Keep only so many transitions into and out of each motion, the cheapest; 0 keeps all */
  most?: number;
  /** Write no page */
  no_page?: boolean;
  /** Folder to write into; made when missing */
  output: string;
  /** Sequences of a generation */
  population?: number;
  /** How much repetitions count in F; 0 allows them [default: 6; of genetic-paper 0] */
  repetition?: number | null;
  /** How much it counts that layers show the same clip at once; 0 allows it [default: 2; of genetic-paper 0] */
  same_clip?: number | null;
  /** Where all chance comes from */
  seed?: number;
  /** Leave out transitions that cost this much or more, rad² [default: 0.05, and more where nothing else fits] */
  threshold?: number | null;
  /** Timeline: key motions with times, TOML or JSON */
  timeline: string;
  /** Format of the files: bvh, glb, … [default: bvh] */
  to?: string | null;
  /** F that a performance must reach; found by itself when left out */
  valid_f?: number | null;
  verb: "compose";
  /** Prefer clips with this tag; may be given several times */
  want?: string[];
  /** Weights of time error, transitions and torso in F; found by themselves when left out */
  weights?: string | null;
  /** Use clips only as a whole, not their single movements */
  whole?: boolean;
}

/** Makes an empty database. */
export interface DbCreate {
  action: "create";
  /** Database to make */
  database: string;
  /** Frames per second of the result: the clips of the database [default: 60] */
  fps?: number | null;
  /** Motion file whose skeleton the database takes [default: 22 body joints and fingers, 1.70 m tall] */
  skeleton?: string | null;
  verb: "db";
}

/** Takes motion files and folders in; files that have not changed are passed over. */
export interface DbAdd {
  action: "add";
  /** The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton */
  asf?: string | null;
  /** Database; made if it is not there */
  database: string;
  /** A text with one file or folder on each line, or - for standard input */
  files_from?: string | null;
  /** Licence of these files [default: the nearest LICENSE or README file] */
  license?: string | null;
  /** What the markers of a C3D or TRC file are, as TOML (default: names that are common) */
  markers?: string | null;
  /** Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point) */
  offset?: "replace" | "add" | null;
  /** Motion files, folders or patterns */
  paths?: string[];
  /** Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys) */
  source_fps?: number | null;
  /** Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height) */
  source_unit?: number | null;
  /** Which way is up in the file (default: found from the body) */
  source_up?: "y" | "z" | null;
  /** Tag for every clip; may be given several times */
  tags?: string[];
  /** Which motion of a file with several: its name, or its number from 0 (default: the first) */
  take?: string | null;
  /** What to do with an added T-pose in frame 0 */
  tpose?: "auto" | "keep" | "drop";
  verb: "db";
}

/** Lists clips. */
export interface DbList {
  action: "list";
  /** Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter */
  clips?: string[];
  /** Database */
  database: string;
  /** Only clips whose motion is in the database more than once */
  duplicates?: boolean;
  /** Only clips this long, seconds: 2:10, :5 or 3: */
  seconds?: string | null;
  /** Only clips whose hips travel this fast on average, m/s: 1:1.5 */
  speed?: string | null;
  /** Only clips with this tag, or without it: '!turn-left'; may be given several times */
  tags?: string[];
  verb: "db";
}

/** Shows everything about clips, or about the database. */
export interface DbShow {
  action: "show";
  /** Names of clips, or numbers as id:17 */
  clips?: string[];
  /** Database */
  database: string;
  verb: "db";
}

/** Puts tags on clips or takes them off. */
export interface DbTag {
  action: "tag";
  /** Tag to put on; may be given several times */
  add?: string[];
  /** Names, patterns or numbers as id:17 */
  clips: string[];
  /** Database */
  database: string;
  /** Tag to take off; may be given several times */
  remove?: string[];
  verb: "db";
}

/** Removes clips. */
export interface DbRemove {
  action: "remove";
  /** Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter */
  clips?: string[];
  /** Database */
  database: string;
  /** Only clips whose motion is in the database more than once */
  duplicates?: boolean;
  /** Only clips this long, seconds: 2:10, :5 or 3: */
  seconds?: string | null;
  /** Only clips whose hips travel this fast on average, m/s: 1:1.5 */
  speed?: string | null;
  /** Only clips with this tag, or without it: '!turn-left'; may be given several times */
  tags?: string[];
  verb: "db";
}

/** Checks whether everything in the database is sound: decodes all clips and measures their errors. */
export interface DbCheck {
  action: "check";
  /** Database */
  database: string;
  /** First make damaged and outdated derived forms again, from the clips as they came */
  repair?: boolean;
  verb: "db";
}

/** Writes clips as motion files. */
export interface DbExport {
  action: "export";
  /** Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter */
  clips?: string[];
  /** Database */
  database: string;
  /** Only clips whose motion is in the database more than once */
  duplicates?: boolean;
  /** File for one clip, or folder for one file per clip */
  output: string;
  /** Only clips this long, seconds: 2:10, :5 or 3: */
  seconds?: string | null;
  /** Each clip as it came in: on its own skeleton, at its own rate */
  source?: boolean;
  /** Only clips whose hips travel this fast on average, m/s: 1:1.5 */
  speed?: string | null;
  /** Only clips with this tag, or without it: '!turn-left'; may be given several times */
  tags?: string[];
  /** Format of the files: bvh, glb, … [default: that of OUT, else bvh] */
  to?: string | null;
  verb: "db";
}

/** Joins databases into a new one, each clip once. */
export interface DbMerge {
  action: "merge";
  /** Databases */
  databases: string[];
  /** Database to make */
  output: string;
  verb: "db";
}

/** Takes clips out of a folder of databases into a new one. */
export interface DbPull {
  action: "pull";
  /** Only clips for which this holds with one of their tags */
  condition?: string | null;
  /** Folder of databases */
  folder: string;
  /** Database to make */
  output: string;
  verb: "db";
}

/** Adds the clips of a database to a folder of databases, as one more of them. */
export interface DbPush {
  action: "push";
  /** Database */
  database: string;
  /** Folder of databases; made when missing */
  folder: string;
  verb: "db";
}

/** Opens the studio: everything visible and draggable in a browser. */
export interface Studio {
  /** Fetch the page once and end: shows that the studio works on this machine */
  check?: boolean;
  /** Database; made when it does not exist */
  database?: string | null;
  /** Address of this machine in a network, to be reached from there */
  host?: string | null;
  /** Open the page in a browser where there is a display */
  open?: boolean;
  /** Port of the local address; the next free one when it is busy, any free one for 0 */
  port?: number;
  verb: "studio";
}

/** Runs one example of each capability on the built-in sample motions. */
export interface Demo {
  /** Fetch the page once and end; with --serve */
  check?: boolean;
  /** Open the page in a browser where there is a display; with --serve */
  open?: boolean;
  /** Folder to write into; made when missing */
  output: string;
  /** Port of the local address; the next free one when it is busy */
  port?: number;
  /** Then show the page at a local address until Ctrl-C */
  serve?: boolean;
  verb: "demo";
}

/** A request for any verb. */
export type AnyRequest =
  | Info
  | Check
  | Convert
  | Plant
  | Compare
  | Render
  | Filter
  | Equalize
  | Blend
  | Loop
  | Edit
  | Splice
  | Segment
  | PerformLearn
  | PerformRun
  | PerformRecognize
  | PerformEvaluate
  | Stream
  | Record
  | React
  | Walk
  | Network
  | Compose
  | DbCreate
  | DbAdd
  | DbList
  | DbShow
  | DbTag
  | DbRemove
  | DbCheck
  | DbExport
  | DbMerge
  | DbPull
  | DbPush
  | Studio
  | Demo;
