//! A skeleton, one pose of it, where that puts the joints, and the whole clip at another rate and mirrored.

use ugoki::sample;
use ugoki::skeleton::Role;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let walk = sample::clip("walk").ok_or("the sample actor walks")?;
    let skeleton = walk.skeleton();
    let head = skeleton.find(Role::Head).ok_or("the sample actor has a head")?;
    let left_hand = skeleton.find(Role::LeftHand).ok_or("the sample actor has hands")?;

    // Where everything is in frame 30, in metres, Y up.
    let pose = walk.model_pose(30);
    println!("head at {:.2}, left hand at {:.2}", pose.positions[head], pose.positions[left_hand]);

    // The path of one joint without posing the others.
    let path = walk.joint_path(head);
    let travelled: f32 = path.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum();
    println!("the head travels {travelled:.2} m in {:.2} s", walk.seconds());

    let film = walk.resampled(24.0)?;
    println!("{} frames at 60 per second are {} at 24", walk.num_frames(), film.num_frames());

    // Mirrored, the right hand is where the left one was, on the other side.
    let right_hand = skeleton.find(Role::RightHand).ok_or("the sample actor has hands")?;
    let mirrored = walk.mirrored().model_pose(30).positions[right_hand];
    assert!((mirrored.x + pose.positions[left_hand].x).abs() < 1e-4);
    println!("mirrored, the right hand is at {mirrored:.2}");
    Ok(())
}
