//! Objects under gravity on the floor, moved by Rapier.

use glam::{DQuat, DVec3, Quat, Vec3};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, Pose, RigidBodyBuilder, RigidBodyHandle, SharedShape,
};
use serde::{Deserialize, Serialize};
use ugoki_feet::contact::Floor;

use super::super::blocks::Block;
use super::super::environment::Touch;
use super::scene::{Scene, SceneError, Shape, Thing};

/// A meeting of an object with a link, in one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hit {
    /// Seconds from the clip's first row.
    pub t: f64,
    /// Which body of the scene.
    pub body: usize,
    /// Which link of the character.
    pub link: usize,
    /// Where, world, m.
    pub at_m: [f64; 3],
    /// Impulse on the character, world axes, N·s; the object got its opposite.
    pub impulse_n_s: [f64; 3],
}

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Centre, world, m.
    pub position_m: [f64; 3],
    /// Orientation, quaternion x y z w.
    pub rotation: [f64; 4],
}

/// Everything except the character, one step at a time.
pub struct World {
    pub(super) physics: PhysicsWorld,
    pub(super) objects: Vec<Object>,
    pub(super) hits: Vec<Hit>,
}

/// One body of the scene.
pub(super) struct Object {
    pub(super) thing: Thing,
    pub(super) shape: SharedShape,
    /// Once it has appeared.
    pub(super) handle: Option<RigidBodyHandle>,
    /// Whether a foot has stood in it.
    pub(super) stood_in: bool,
}

impl World {
    /// The scene on a floor, under gravity (m/s², downward).
    ///
    /// # Errors
    /// When a body of the scene cannot be.
    pub fn build(scene: &Scene, floor: &Floor, gravity_m_s2: f64) -> Result<Self, SceneError> {
        scene.check()?;
        let mut physics = PhysicsWorld::new();
        physics.gravity = Vec3::NEG_Y * gravity_m_s2 as f32;
        let [sx, sz] = floor.slope;
        let up = DVec3::new(-sx, 1.0, -sz).normalize().as_vec3();
        let at = DVec3::new(floor.origin[0], floor.height, floor.origin[1]).as_vec3();
        let ground = ColliderBuilder::new(SharedShape::halfspace(up)).translation(at);
        physics.insert_collider(ground, None);
        let object = |thing: &Thing| Object {
            shape: shape_of(thing),
            thing: thing.clone(),
            handle: None,
            stood_in: false,
        };
        Ok(Self { physics, objects: scene.bodies.iter().map(object).collect(), hits: Vec::new() })
    }

    /// One step of the simulation: objects appear, meet the body, and move.
    pub fn step(&mut self, touch: &mut Touch<'_>) {
        let (time, dt) = (touch.time_s(), touch.step_s());
        for object in &mut self.objects {
            // Half a step of grace, so that a time on a step's border is not lost to rounding.
            if object.handle.is_none() && object.thing.at_s <= time + 0.5 * dt {
                object.appear(&mut self.physics);
                object.thing.block().into_iter().for_each(|block| touch.add_block(block));
            }
        }
        self.meet(touch);
        self.physics.integration_parameters.dt = dt as f32;
        self.physics.step();
    }

    /// All meetings so far, in order.
    #[must_use]
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// Fixed bodies in which a foot has stood so far: feet keep to the motion's own ground and pass through what stands
    /// on it.
    #[must_use]
    pub fn stood_in(&self) -> Vec<usize> {
        (0..self.objects.len()).filter(|&body| self.objects[body].stood_in).collect()
    }

    /// Where each body of the scene is; none before it appears.
    #[must_use]
    pub fn places(&self) -> Vec<Option<Place>> {
        let place = |object: &Object| {
            let body = self.physics.bodies.get(object.handle?)?;
            let pose = body.position();
            Some(Place {
                position_m: pose.translation.as_dvec3().to_array(),
                rotation: pose.rotation.as_dquat().to_array(),
            })
        };
        self.objects.iter().map(place).collect()
    }

    /// Momentum of a body of the scene, kg·m/s; zero before it appears and for what stands fixed.
    #[must_use]
    pub fn momentum(&self, body: usize) -> DVec3 {
        let Some(object) = self.objects.get(body) else { return DVec3::ZERO };
        let (Some(handle), Some(mass)) = (object.handle, object.thing.mass_kg) else { return DVec3::ZERO };
        self.physics.bodies.get(handle).map_or(DVec3::ZERO, |body| body.linvel().as_dvec3() * mass)
    }
}

fn shape_of(thing: &Thing) -> SharedShape {
    match thing.shape {
        Shape::Ball => SharedShape::ball(thing.radius_m.unwrap_or_default() as f32),
        Shape::Box => {
            let [x, y, z] = thing.size_m.unwrap_or_default().map(|edge| 0.5 * edge as f32);
            SharedShape::cuboid(x, y, z)
        }
    }
}

impl Thing {
    fn turn(&self) -> DQuat {
        DQuat::from_scaled_axis(DVec3::from_array(self.rotation_deg) * (std::f64::consts::PI / 180.0))
    }

    /// What stands fixed and has a top.
    fn block(&self) -> Option<Block> {
        let size = self.size_m.filter(|_| self.mass_kg.is_none() && self.shape == Shape::Box)?;
        let centre = DVec3::from_array(self.position_m);
        Some(Block { centre, half: 0.5 * DVec3::from_array(size), turn: self.turn() })
    }
}

impl Object {
    fn appear(&mut self, physics: &mut PhysicsWorld) {
        let thing = &self.thing;
        let builder = match thing.mass_kg {
            Some(_) => RigidBodyBuilder::dynamic(),
            None => RigidBodyBuilder::fixed(),
        };
        let turn = thing.turn();
        let turn = Quat::from_array(turn.to_array().map(|x| x as f32)).normalize();
        let vector = |v: [f64; 3]| DVec3::from_array(v).as_vec3();
        // A sleeping object would not feel the body that leans on it; there are few.
        let body = builder
            .pose(Pose::from_parts(vector(thing.position_m), turn))
            .linvel(vector(thing.velocity_m_s))
            .angvel(vector(thing.spin_rad_s))
            .ccd_enabled(true)
            .can_sleep(false);
        let collider = ColliderBuilder::new(self.shape.clone())
            .mass(thing.mass_kg.unwrap_or(1.0) as f32)
            .restitution(thing.restitution as f32)
            .friction(thing.friction as f32);
        let (handle, _) = physics.insert(body, collider);
        self.handle = Some(handle);
    }
}
