// The stage: draws the pose at the playhead, follows with the camera, tells what the pointer takes hold of.

import {
  ACESFilmicToneMapping,
  ArrowHelper,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  SphereGeometry,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Footprint, Motion } from "../protocol";
import { JOINT_FLOATS } from "../protocol";
import type { Studio } from "../studio";
import { Avatar } from "./avatar";
import { Capsules } from "./capsules";
import { plan, stature, type Capsule } from "./figure";
import { Ground } from "./ground";

/** Most capsules at once: a hundred bodies of sixty. */
const MOST = 8000;
/** Frames between onion skins, and how many on either side. */
const ONION = { apart: 0.2, count: 3 };
/** How far to its right a performer stands from the actor, metres. */
const BESIDE = -1.1;
/** Share of the way to the figure that a following camera goes in a drawn frame. */
const FOLLOW = 0.18;
/** A way of the figure in one drawn frame that is no movement, metres. */
const JUMP = 1.5;

/** What drags on the stage do; the tool in use may take them. */
export interface Grip {
  /** A footprint was taken: moves to places on the floor. */
  print?(index: number, to: Vector3, how: "move" | "turn" | "raise", dy: number, commit: boolean): void;
  /** A joint was taken: an arrow from it. */
  body?(joint: number, by: Vector3, commit: boolean): void;
  /** A place on the body was pressed, seen from an eye. */
  throw?(goal: Vector3, eye: Vector3): void;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  grip: Grip = {};
  /** Frames drawn, and what was drawn last; the tests wait for these. */
  readonly drawn = { count: 0, frame: -1, stream: 0, milliseconds: 0 };
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(34, 1, 0.05, 200);
  private readonly controls: OrbitControls;
  private readonly body = new Capsules(MOST, false);
  private readonly ghosts = new Capsules(MOST, true);
  private readonly ground = new Ground();
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, 0xe8663d, 0.12, 0.07);
  private readonly balls = new Group();
  private readonly accent = new Color();
  avatar: Avatar | null = null;
  private readonly hips = new Vector3();
  private readonly ray = new Raycaster();
  private capsules: Capsule[] = [];
  private ghostCapsules: Capsule[] = [];
  private joints = "";
  private held: { kind: "print" | "body"; index: number; from: Vector3; plane: Plane; y: number } | null = null;
  private colours = { middle: new Color(), left: new Color(), right: new Color(), ghost: new Color(), bad: new Color() };
  private framed = false;
  /** Something changed since the last drawing. */
  private stale = true;
  private restless = false;
  private readonly load = new Color();

  constructor(private readonly studio: Studio) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 40;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    Object.assign(this.sun.shadow.camera, { left: -2.2, right: 2.2, top: 2.6, bottom: -2.2, near: 0.5, far: 14 });
    this.scene.add(new HemisphereLight(0xffffff, 0x8d8a84, 1.5), this.sun, this.sun.target);
    this.scene.add(this.ground.group, this.body.mesh, this.ghosts.mesh, this.arrow, this.balls);
    this.arrow.visible = false;
    studio.on("stage", (stage) => this.show(stage.motion, stage.ghost));
    const again = () => (this.stale = true);
    for (const name of ["stage", "frame", "view", "poses", "document"] as const) studio.on(name, again);
    this.controls.addEventListener("change", again);
    this.canvas.addEventListener("pointerdown", (event) => this.take(event), { capture: true });
    this.canvas.addEventListener("pointermove", (event) => this.drag(event, false));
    this.canvas.addEventListener("pointerup", (event) => this.drag(event, true));
  }

  /** Colours of the theme in use. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string) => style.getPropertyValue(name).trim();
    const light = document.documentElement.dataset["theme"] === "light";
    this.stale = true;
    this.colours.middle.set(light ? "#e9e6e0" : "#d8d5ce");
    this.colours.left.set(value("--left")).lerp(this.colours.middle, 0.72);
    this.colours.right.set(value("--right")).lerp(this.colours.middle, 0.72);
    this.colours.ghost.set(value("--ghost"));
    this.colours.bad.set(value("--bad"));
    this.accent.set(value("--accent"));
    this.arrow.setColor(this.accent);
    this.ground.colours({
      line: light ? "#6d6c68" : "#c9c7c1",
      left: value("--left"),
      right: value("--right"),
      accent: value("--accent"),
      ghost: value("--ghost"),
    });
  }

  private show(motion: Motion, ghost: Motion | null): void {
    const names = motion.joints.map((joint) => joint.name).join();
    if (names !== this.joints) {
      this.joints = names;
      this.capsules = plan(motion.joints);
      this.avatar?.fit(motion.joints);
    }
    this.ghostCapsules = ghost ? plan(ghost.joints) : [];
    this.ground.show(motion);
  }

  /** Footprints of a plan in place of those that were found; null for the latter. */
  showPrints(prints: Footprint[] | null): void {
    this.ground.plan(prints);
    this.stale = true;
  }

  /** An avatar from a file plays the motion instead of the mannequin; null brings the mannequin back. */
  async dress(bytes: ArrayBuffer | null): Promise<void> {
    const avatar = bytes ? await Avatar.read(bytes) : null;
    if (this.avatar) this.scene.remove(this.avatar.group);
    this.avatar = avatar;
    if (avatar) {
      this.scene.add(avatar.group);
      if (this.studio.stage) avatar.fit(this.studio.stage.motion.joints);
    }
    this.body.mesh.visible = avatar === null;
    this.stale = true;
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
    this.controls.target.copy(target);
    this.camera.position.copy(target).add(new Vector3(1.5, 0.55, 2.9).multiplyScalar(tall * 0.8));
    this.controls.update();
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  /** Draws the frame at the playhead. */
  draw(): void {
    const begun = performance.now();
    const { studio } = this;
    const frame = Math.round(studio.frame);
    studio.motion?.want(frame);
    const pose = studio.motion?.at(frame);
    if (pose && studio.motion && this.stale) {
      this.pose(pose, frame);
      if (!this.framed) {
        this.framed = true;
        this.frame();
      }
      this.drawn.frame = frame;
      this.drawn.stream = studio.motion.stream;
    }
    this.controls.update();
    // What did not change need not be drawn again.
    if (this.stale) {
      this.stale = this.restless;
      this.restless = false;
      this.renderer.render(this.scene, this.camera);
      this.drawn.milliseconds = performance.now() - begun;
    }
    this.drawn.count += 1;
  }

  private pose(pose: Float32Array, frame: number): void {
    const { studio } = this;
    const reaction = studio.document.tool === "react" ? (studio.stage?.reaction ?? null) : null;
    const loads = new Map(reaction?.joints.map((joint, at) => [joint, reaction.load[at]?.[frame - reaction.first] ?? 0]));
    const colour = (capsule: Capsule) => {
      const load = loads.get(capsule.joint);
      if (load === undefined) return this.colours[capsule.side];
      return this.load.copy(this.colours.middle).lerp(this.colours.bad, Math.min(1, load));
    };
    this.avatar?.pose(pose, studio.stage?.motion.floor ?? 0);
    this.body.begin();
    this.body.add(this.capsules, pose, colour);
    this.body.end();
    this.ghosts.begin();
    const grey = () => this.colours.ghost;
    if (studio.view.ghost && studio.ghost) {
      const at = Math.min(frame, studio.ghost.frames - 1);
      studio.ghost.want(at);
      const before = studio.ghost.at(at);
      // A performer stands beside the actor, everything else behind its result.
      this.ghosts.mesh.position.x = studio.document.tool === "perform" ? BESIDE : 0;
      if (before) this.ghosts.add(this.ghostCapsules, before, grey);
    }
    if (studio.view.onion && studio.motion) {
      const apart = Math.max(1, Math.round(ONION.apart * (studio.stage?.motion.fps ?? 60)));
      for (let n = -ONION.count; n <= ONION.count; n += 1) {
        const skin = n === 0 ? undefined : studio.motion.at(frame + n * apart);
        if (skin) this.ghosts.add(this.capsules, skin, grey);
      }
    }
    this.ghosts.end();
    const index = Math.max(0, studio.stage?.motion.joints.findIndex((joint) => joint.role === "hips") ?? 0);
    const at = index * JOINT_FLOATS;
    const moved = new Vector3(pose[at], pose[at + 1], pose[at + 2]);
    if (studio.view.follow && this.framed && !this.held) {
      const by = moved.clone().setY(this.controls.target.y).sub(this.controls.target);
      // A jump, as at the start of another clip, is followed at once.
      if (by.length() < JUMP) by.multiplyScalar(FOLLOW);
      // The camera comes to rest by and by.
      if (by.length() > 1e-3) this.restless = true;
      this.controls.target.add(by);
      this.camera.position.add(by);
    }
    this.hips.copy(moved);
    const floor = studio.stage?.motion.floor ?? 0;
    this.sun.target.position.set(moved.x, floor + 0.8, moved.z);
    this.sun.position.set(moved.x + 2.2, floor + 5.2, moved.z + 2.6);
    const chosen = this.held?.kind === "print" ? this.held.index : null;
    this.ground.at(frame, moved.x, moved.z, chosen);
    this.ground.visible(studio.view.path, studio.view.contacts || studio.document.tool === "walk");
    this.ground.react(reaction, frame);
    this.balls.children.forEach((ball, at) => {
      const place = reaction?.bodies[at]?.[frame - reaction.first] ?? null;
      ball.visible = place !== null;
      if (place) ball.position.set(...place);
    });
  }

  private aim(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.ray.setFromCamera(new Vector2(x, y), this.camera);
  }

  private take(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.aim(event);
    if (this.grip.print) {
      const hit = this.ray.intersectObjects(this.ground.handles)[0];
      if (hit) this.hold(event, "print", hit.object.userData["print"] as number, hit.object.position.clone(), new Plane(new Vector3(0, 1, 0), -hit.point.y));
    }
    if (this.grip.throw) {
      const joint = this.touched();
      if (joint === null) return;
      event.stopPropagation();
      return this.grip.throw(this.jointAt(joint), this.camera.position.clone());
    }
    if (!this.held && this.grip.body) {
      const joint = this.touched();
      if (joint !== null) {
        const from = this.jointAt(joint);
        const facing = this.camera.getWorldDirection(new Vector3()).negate();
        this.hold(event, "body", joint, from, new Plane().setFromNormalAndCoplanarPoint(facing, from));
      }
    }
  }

  private hold(event: PointerEvent, kind: "print" | "body", index: number, from: Vector3, plane: Plane): void {
    this.held = { kind, index, from, plane, y: event.clientY };
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    event.stopPropagation();
  }

  /** Joint of the capsule under the ray. */
  private touched(): number | null {
    const pose = this.studio.motion?.at(Math.round(this.studio.frame));
    if (!pose) return null;
    let best: { joint: number; far: number } | null = null;
    for (const { from, to, radii, joint } of this.capsules) {
      const a = this.jointAt(from.joint);
      const b = this.jointAt(to.joint);
      const near = new Vector3();
      const apart = Math.sqrt(this.ray.ray.distanceSqToSegment(a, b, near));
      const far = near.distanceTo(this.ray.ray.origin);
      if (apart < Math.max(...radii) * 1.15 && (!best || far < best.far)) best = { joint, far };
    }
    return best?.joint ?? null;
  }

  private jointAt(joint: number): Vector3 {
    const pose = this.studio.motion?.at(Math.round(this.studio.frame));
    const at = joint * JOINT_FLOATS;
    return pose ? new Vector3(pose[at], pose[at + 1], pose[at + 2]) : new Vector3();
  }

  private drag(event: PointerEvent, commit: boolean): void {
    const { held } = this;
    if (!held) return;
    this.stale = true;
    this.aim(event);
    const to = this.ray.ray.intersectPlane(held.plane, new Vector3());
    if (to && held.kind === "print") {
      const how = event.shiftKey ? "turn" : event.altKey ? "raise" : "move";
      this.grip.print?.(held.index, to, how, event.clientY - held.y, commit);
    } else if (to) {
      const by = to.clone().sub(held.from);
      this.arrow.visible = !commit && by.length() > 0.02;
      this.arrow.position.copy(held.from);
      if (this.arrow.visible) {
        this.arrow.setDirection(by.clone().normalize());
        this.arrow.setLength(by.length(), 0.12, 0.07);
      }
      this.grip.body?.(held.index, by, commit);
    }
    if (commit) {
      this.held = null;
      this.arrow.visible = false;
      this.controls.enabled = true;
    }
  }
}
