//! Bytes → clip, with everything odd about them reported → the same numbers again.

use ugoki::formats::{self, ReadOptions, bvh};

/// Two frames of a hinge, with a decimal comma and a wrong frame count.
const FILE: &str = "HIERARCHY
ROOT Door
{
  OFFSET 0 100 0
  CHANNELS 4 Xposition Yposition Zposition Yrotation
  End Site
  {
    OFFSET 80 0 0
  }
}
MOTION
Frames: 3
Frame Time: 0,0333
0 100 0 0
0 100 0 12,5
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let read = formats::read(FILE.as_bytes(), Some("bvh"), &ReadOptions::default())?;
    println!("{} frames at {} per second, unit {}", read.clip.num_frames(), read.clip.fps(), read.unit_name);
    for finding in &read.findings {
        let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
        println!("  {line}{} [{}]", finding.message, finding.code);
    }

    // The clip is unchanged, so the file's own numbers are written.
    let written = bvh::write(&read.clip, &bvh::WriteOptions::default());
    let text = String::from_utf8(written.bytes)?;
    assert!(text.contains("12.5"), "the angle comes back as it was");
    print!("{text}");
    Ok(())
}
