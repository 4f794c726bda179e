//! Prints the figure of `docs/methods/signal.md`: a spin smoothed by the exact mean, and by the two ways that
//! fail where a quaternion's sign flips.

use ugoki::no_progress;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::math::{Random, angle_between, exp};
use ugoki::picture::{Curve, Plot, plot_svg};
use ugoki::signal::{Edge, FilterConfig, Kernel, KernelShape, Method, filter};
use ugoki::skeleton::{Joint, Skeleton};

const FPS: f64 = 120.0;
const FRAMES: usize = 360;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two and a half turns about a tilted axis, fastest in the middle, with a capture's jitter.
    let skeleton = Skeleton::build(vec![Joint::new("hips", None, Vec3::Y)])?;
    let mut spin = Clip::at_rest(skeleton, FPS, FRAMES)?;
    let mut random = Random::new(0);
    let axis = Vec3::new(0.2, 1.0, 0.1).normalize();
    for frame in 0..FRAMES {
        let fraction = frame as f32 / (FRAMES - 1) as f32;
        let turned = 5.0 * std::f32::consts::PI * fraction * fraction * (3.0 - 2.0 * fraction);
        let jitter = Vec3::from_array(std::array::from_fn(|_| 0.02 * random.normal() as f32));
        spin.set_rotation(0, frame, exp(axis * turned) * exp(jitter));
    }
    spin.align_signs();

    let kernel = Kernel::build(&KernelShape::Box(51))?;
    let smooth = |method| -> Result<Clip, Box<dyn std::error::Error>> {
        let config = FilterConfig { method, edge: Edge::Reflect };
        Ok(filter(&spin, &kernel, config, &mut no_progress())?.clip)
    };
    let exact = smooth(Method::Exact)?;
    // How far each method is from the exact mean, frame by frame.
    let distance = |clip: &Clip| -> Vec<[f64; 2]> {
        let degrees = |frame| {
            let (a, b): (Quat, Quat) = (clip.rotation(0, frame), exact.rotation(0, frame));
            f64::from(angle_between(a, b)).to_degrees()
        };
        (0..FRAMES).map(|frame| [frame as f64 / FPS, degrees(frame)]).collect()
    };
    let mut curves = Vec::new();
    for (name, method, dashed) in [
        ("qlerp-raw", Method::QlerpRaw, false),
        ("log-raw", Method::LogRaw, true),
        ("expmap", Method::Expmap, false),
        ("qlerp", Method::Qlerp, true),
    ] {
        curves.push(Curve { name: name.to_owned(), points: distance(&smooth(method)?), dashed });
    }
    let plot = Plot {
        title: "A spin through box:51: distance from the exact mean".to_owned(),
        x_label: "seconds".to_owned(),
        y_label: "degrees".to_owned(),
        curves,
        marks: Vec::new(),
        width: 900,
        height: 420,
    };
    print!("{}", plot_svg(&plot));
    Ok(())
}
