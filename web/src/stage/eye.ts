// The eye: turns around the figure, puts it into view, goes where it goes, looks from the front, the side or above.

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Fraction of the distance to the figure that a following camera moves in a drawn frame. */
const FOLLOW = 0.18;
/** A way of the figure in one drawn frame that is no movement, metres. */
const JUMP = 1.5;
/** From where a figure is looked at first, as fractions of its height. */
const USUAL = new Vector3(1.2, 0.44, 2.32);
/** Directions of the views that keys give; a little off the pole, where there is no up. */
const VIEWS = { front: new Vector3(0, 0, 1), side: new Vector3(1, 0, 0), top: new Vector3(0, 1, 1e-3) } as const;

export type View = keyof typeof VIEWS;

/** Where the eye is and what it looks at, to be kept over a reload. */
export interface Sight {
  eye: [number, number, number];
  target: [number, number, number];
}

export class Eye {
  readonly camera = new PerspectiveCamera(34, 1, 0.05, 200);
  private readonly controls: OrbitControls;
  private readonly by = new Vector3();

  constructor(canvas: HTMLCanvasElement, changed: () => void) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 40;
    this.controls.addEventListener("change", changed);
  }

  /** Whether drags turn it; not while something is held. */
  set free(is: boolean) {
    this.controls.enabled = is;
  }

  /** Comes to rest; once per drawn frame. */
  update(): void {
    this.controls.update();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  /** Puts a figure of this height into view, from so many times the usual distance. */
  frame(middle: Vector3, tall: number, far: number): void {
    this.controls.target.copy(middle);
    // What is narrower than a figure's surroundings is seen from farther away.
    const narrow = Math.max(1, 0.9 / this.camera.aspect);
    this.camera.position.copy(USUAL).multiplyScalar(tall * far * narrow).add(middle);
    this.controls.update();
  }

  /** Looks from another side, as far away as before. */
  look(view: View): void {
    const far = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(VIEWS[view]).setLength(far).add(this.controls.target);
    this.controls.update();
  }

  /** Goes where the figure is; says whether it is still on its way. */
  follow(figure: Vector3): boolean {
    const { target } = this.controls;
    this.by.set(figure.x - target.x, 0, figure.z - target.z);
    // A jump, as at the start of another clip, is followed at once.
    if (this.by.length() < JUMP) this.by.multiplyScalar(FOLLOW);
    target.add(this.by);
    this.camera.position.add(this.by);
    return this.by.length() > 1e-3;
  }

  get sight(): Sight {
    return { eye: this.camera.position.toArray(), target: this.controls.target.toArray() };
  }

  set sight({ eye, target }: Sight) {
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    this.controls.update();
  }
}
