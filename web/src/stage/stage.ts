// The stage: draws the pose at the playhead, follows with the camera, reports what the pointer grabs.

import {
  ACESFilmicToneMapping,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  PCFShadowMap,
  Scene,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Footprint, Motion } from "../protocol";
import { JOINT_FLOATS } from "../protocol";
import type { Studio } from "../studio";
import { Bodies, CROWD } from "./bodies";
import { Corrections } from "./corrections";
import { read, type Costume } from "./costume";
import { Eye } from "./eye";
import { stature } from "./figure";
import { Ground } from "./ground";
import { Hand, type Grip } from "./hand";

export type { Grip } from "./hand";

/** Half the side of the ground that has shadows, metres: one body, or a crowd. */
const SHADOWS = { one: 2.4, crowd: 0.75 * CROWD.row * CROWD.apart };

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly eye: Eye;
  grip: Grip = {};
  /** The footprint that a tool works on. */
  chosen: number | null = null;
  /** Frames drawn, and what was drawn last; the tests wait for these. */
  readonly drawn = { count: 0, frame: -1, stream: 0, milliseconds: 0, corrections: 0 };
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly bodies: Bodies;
  private readonly ground = new Ground();
  private readonly corrections = new Corrections();
  private readonly hand: Hand;
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly balls = new Group();
  private readonly accent = new Color();
  avatar: Costume | null = null;
  /** A sight that was kept is not framed again. */
  framed = false;
  private readonly hips = new Vector3();
  private joints = "";
  /** Something changed since the last drawing, and since bodies were posed. */
  private stale = true;
  private unposed = true;
  private restless = false;

  constructor(private readonly studio: Studio) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.eye = new Eye(this.canvas, () => (this.stale = true));
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.bodies = new Bodies(studio);
    this.hand = new Hand(this.canvas, this.eye.camera, {
      grip: () => this.grip,
      handles: () => this.ground.handles,
      capsules: () => (studio.stage ? this.bodies.capsules(studio.stage.motion) : []),
      joint: (joint) => this.jointAt(joint),
      holding: (is) => {
        this.eye.free = !is;
        this.stale = this.unposed = true;
      },
      moved: () => (this.stale = true),
    });
    this.scene.add(new HemisphereLight(0xffffff, 0x8d8a84, 1.5), this.sun, this.sun.target);
    const { solid, ghostly, many } = this.bodies;
    if (ghostly.veil) this.scene.add(ghostly.veil);
    this.scene.add(this.ground.group, solid.mesh, ghostly.mesh, many.mesh, this.hand.arrow, this.balls, this.corrections.group);
    this.light();
    studio.on("stage", (stage) => this.show(stage.motion));
    const again = () => (this.stale = this.unposed = true);
    for (const name of ["stage", "frame", "view", "poses", "document", "live"] as const) studio.on(name, again);
    // What is dragged moves when its poses come, and is drawn with the next picture.
    studio.on("poses", (dragged) => dragged && this.apply());
    studio.on("view", () => this.light());
    studio.on("empty", () => this.empty());
  }

  /** Words that follow what is dragged. */
  get tip(): HTMLElement {
    return this.hand.tip;
  }

  private get camera() {
    return this.eye.camera;
  }

  /** The stage is empty. */
  private empty(): void {
    this.bodies.clear();
    this.ground.clear();
    this.stale = true;
  }

  /** Colours of the theme in use. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string) => style.getPropertyValue(name).trim();
    const light = document.documentElement.dataset["theme"] === "light";
    this.stale = this.unposed = true;
    this.bodies.colours.middle.set(light ? "#e9e6e0" : "#d8d5ce");
    this.bodies.colours.left.set(value("--left")).lerp(this.bodies.colours.middle, 0.72);
    this.bodies.colours.right.set(value("--right")).lerp(this.bodies.colours.middle, 0.72);
    this.bodies.colours.ghost.set(value("--ghost"));
    this.bodies.colours.bad.set(value("--bad"));
    this.accent.set(value("--accent"));
    this.hand.arrow.setColor(this.accent);
    this.corrections.colours(value("--good"));
    this.ground.colours({
      line: light ? "#6d6c68" : "#c9c7c1",
      left: value("--left"),
      right: value("--right"),
      accent: value("--accent"),
      ghost: value("--ghost"),
      text: value("--text"),
      shadow: light ? 0.28 : 0.6,
    });
  }

  private show(motion: Motion): void {
    const names = motion.joints.map((joint) => joint.name).join();
    if (names !== this.joints) {
      this.joints = names;
      this.avatar?.fit(motion.joints);
    }
    this.ground.show(motion);
  }

  /** Shadows around one body, or around a crowd. */
  private light(): void {
    const half = this.studio.view.crowd ? SHADOWS.crowd : SHADOWS.one;
    const { camera } = this.sun.shadow;
    if (camera.right === half) return;
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.5, far: 14 + 2 * half });
    camera.updateProjectionMatrix();
  }

  /** Footprints of a plan in place of those that were found; null for the latter. */
  showPrints(prints: Footprint[] | null): void {
    this.ground.plan(prints);
    this.stale = true;
  }

  /** An avatar from a file plays the motion instead of the mannequin; null brings the mannequin back. */
  async dress(bytes: ArrayBuffer | null): Promise<void> {
    const avatar = bytes ? await read(bytes) : null;
    if (this.avatar) this.scene.remove(this.avatar.group);
    this.avatar = avatar;
    if (avatar) {
      this.scene.add(avatar.group);
      if (this.studio.stage) avatar.fit(this.studio.stage.motion.joints);
    }
    this.bodies.hidden = avatar !== null;
    this.stale = this.unposed = true;
  }

  /** Balls of these radii; where they are comes with the reaction. */
  showBalls(radii: number[]): void {
    this.balls.clear();
    const material = new MeshStandardMaterial({ color: this.accent, roughness: 0.5 });
    for (const radius of radii) {
      const ball = new Mesh(new SphereGeometry(radius, 24, 16), material);
      ball.castShadow = true;
      this.balls.add(ball);
    }
    this.stale = true;
  }

  /** Puts the whole figure into view. */
  frame(): void {
    const motion = this.studio.stage?.motion;
    if (!motion) return;
    const tall = stature(motion.joints);
    const target = new Vector3(this.hips.x, motion.floor + 0.52 * tall, this.hips.z);
    const far = this.studio.view.crowd ? 0.5 * CROWD.row : 1;
    if (this.studio.view.crowd) target.z -= (CROWD.row * CROWD.apart) / 3;
    this.eye.frame(target, tall, far);
  }

  /** The footprint that a tool works on stands out. */
  choose(print: number | null): void {
    this.chosen = print;
    this.stale = this.unposed = true;
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.eye.resize(width, height);
    this.stale = true;
  }

  /** Draws the frame at the playhead. */
  draw(): void {
    const begun = performance.now();
    const frame = Math.round(this.studio.frame);
    if (this.studio.settled) this.studio.motion?.want(frame);
    this.apply();
    this.eye.update();
    // What did not change need not be drawn again.
    if (this.stale) {
      this.stale = this.unposed = this.restless;
      this.restless = false;
      this.renderer.render(this.scene, this.camera);
      this.drawn.milliseconds = performance.now() - begun;
    }
    this.drawn.count += 1;
  }

  /** Puts everybody into the pose at the playhead, if it came. */
  private apply(): void {
    const { studio } = this;
    const frame = Math.round(studio.frame);
    const pose = studio.motion?.at(frame);
    if (!pose || !studio.motion || !studio.stage || !this.unposed) return;
    this.unposed = false;
    this.pose(studio.stage.motion, pose, frame);
    if (!this.framed) {
      this.framed = true;
      this.frame();
    }
    this.drawn.frame = frame;
    this.drawn.stream = studio.motion.stream;
    studio.applied(this.drawn.stream);
  }

  private pose(motion: Motion, pose: Float32Array, frame: number): void {
    const { studio } = this;
    const reaction = studio.document.tool === "react" ? (studio.stage?.reaction ?? null) : null;
    this.avatar?.pose(pose, motion.floor);
    this.bodies.draw(motion, pose, frame);
    this.follow(motion, pose);
    this.ground.at(frame, this.hips.x, this.hips.z, this.hand.print ?? this.chosen);
    this.ground.visible(studio.view.path, studio.view.contacts || studio.document.tool === "walk");
    this.ground.react(reaction, frame);
    this.drawn.corrections = this.corrections.show(reaction, frame, (joint) => this.jointAt(joint));
    this.balls.children.forEach((ball, at) => {
      const place = reaction?.bodies[at]?.[frame - reaction.first] ?? null;
      ball.visible = place !== null;
      if (place) ball.position.set(...place);
    });
  }

  /** Camera and light go where the body goes. */
  private follow(motion: Motion, pose: Float32Array): void {
    const at = Math.max(0, motion.joints.findIndex((joint) => joint.role === "hips")) * JOINT_FLOATS;
    const moved = new Vector3(pose[at], pose[at + 1], pose[at + 2]);
    const follows = this.studio.view.follow && this.framed && !this.hand.isHolding && !this.studio.view.crowd;
    // The camera comes to rest by and by.
    if (follows && this.eye.follow(moved)) this.restless = true;
    this.hips.copy(moved);
    const back = this.studio.view.crowd ? (CROWD.row * CROWD.apart) / 2 : 0;
    this.sun.target.position.set(moved.x, motion.floor + 0.8, moved.z - back);
    this.sun.position.set(moved.x + 2.2, motion.floor + 5.2 + back, moved.z + 2.6 - back);
  }

  private jointAt(joint: number): Vector3 | null {
    const pose = this.studio.motion?.at(Math.round(this.studio.frame));
    const at = joint * JOINT_FLOATS;
    return pose ? new Vector3(pose[at], pose[at + 1], pose[at + 2]) : null;
  }
}
