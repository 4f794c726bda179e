// What lies on the floor: grid, shadow, the way of the hips, footprints, support polygon and zero-moment point.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  RingGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Shape,
  ShapeGeometry,
  type Object3D,
} from "three";
import type { Footprint, Motion, Reaction } from "../protocol";

/** Half the side of the floor, metres. */
const FLOOR = 40;

/** Lines of a metre with finer ones of a quarter, fading with distance from the middle of interest. */
function grid(): Mesh {
  const material = new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { line: { value: new Color() }, middle: { value: [0, 0] } },
    vertexShader: `varying vec2 at; void main() { vec4 w = modelMatrix * vec4(position, 1.0); at = w.xz; gl_Position = projectionMatrix * viewMatrix * w; }`,
    fragmentShader: `
      varying vec2 at; uniform vec3 line; uniform vec2 middle;
      float lines(vec2 p, float size) {
        vec2 q = p / size; vec2 d = abs(fract(q - 0.5) - 0.5) / fwidth(q);
        return 1.0 - min(min(d.x, d.y), 1.0);
      }
      void main() {
        float far = length(at - middle);
        float a = max(lines(at, 1.0) * 0.42, lines(at, 0.25) * 0.13 * (1.0 - smoothstep(2.0, 6.0, far)));
        gl_FragColor = vec4(line, a * (1.0 - smoothstep(4.0, 15.0, far)));
      }`,
  });
  const mesh = new Mesh(new PlaneGeometry(2 * FLOOR, 2 * FLOOR), material);
  mesh.rotation.x = -Math.PI / 2;
  return mesh;
}

/** The outline of a sole, heel at the origin, toes along +Z, one metre long. */
function sole(): ShapeGeometry {
  const shape = new Shape();
  shape.moveTo(0, -0.28);
  shape.bezierCurveTo(0.19, -0.3, 0.2, 0, 0.17, 0.2);
  shape.bezierCurveTo(0.16, 0.42, 0.26, 0.55, 0.26, 0.78);
  shape.bezierCurveTo(0.26, 1.16, -0.24, 1.16, -0.24, 0.78);
  shape.bezierCurveTo(-0.24, 0.55, -0.16, 0.42, -0.17, 0.2);
  shape.bezierCurveTo(-0.2, 0, -0.19, -0.3, 0, -0.28);
  return new ShapeGeometry(shape, 8);
}

export interface Palette {
  line: string;
  left: string;
  right: string;
  accent: string;
  ghost: string;
}

/** Heights over the floor that keep flat things from flickering, metres. */
const LIFT = { path: 0.004, print: 0.006, polygon: 0.008, zmp: 0.01 };

export class Ground {
  readonly group = new Group();
  readonly prints = new Group();
  private readonly grid = grid();
  private readonly shadow: Mesh;
  private readonly path: Line;
  private readonly polygon: LineLoop;
  private readonly zmp: Mesh;
  private readonly soleShape = sole();
  private footprints: Footprint[] = [];
  private found: Footprint[] = [];
  private planned: Footprint[] | null = null;
  private palette: Palette = { line: "#888", left: "#48f", right: "#fa0", accent: "#f60", ghost: "#999" };
  private floor = 0;

  constructor() {
    this.shadow = new Mesh(new PlaneGeometry(2 * FLOOR, 2 * FLOOR), new ShadowMaterial({ opacity: 0.3 }));
    this.shadow.rotation.x = -Math.PI / 2;
    this.shadow.receiveShadow = true;
    this.path = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
    this.polygon = new LineLoop(new BufferGeometry(), new LineBasicMaterial());
    this.zmp = new Mesh(new RingGeometry(0.012, 0.028, 24), new MeshBasicMaterial({ side: DoubleSide }));
    this.zmp.rotation.x = -Math.PI / 2;
    this.group.add(this.grid, this.shadow, this.path, this.polygon, this.zmp, this.prints);
    for (const thing of [this.path, this.polygon]) thing.frustumCulled = false;
    this.react(null, 0);
  }

  colours(palette: Palette): void {
    this.palette = palette;
    (this.grid.material as ShaderMaterial).uniforms["line"]!.value = new Color(palette.line);
    (this.path.material as LineBasicMaterial).color.set(palette.accent);
    (this.polygon.material as LineBasicMaterial).color.set(palette.accent);
    (this.zmp.material as MeshBasicMaterial).color.set(palette.accent);
    this.drawPrints();
  }

  show(motion: Motion): void {
    this.floor = motion.floor;
    this.grid.position.y = motion.floor;
    this.shadow.position.y = motion.floor - 0.002;
    const flat = motion.path.flatMap(([x, , z]) => [x, motion.floor + LIFT.path, z]);
    set(this.path.geometry, flat);
    this.found = motion.footprints;
    this.footprints = this.planned ?? this.found;
    this.drawPrints();
  }

  /** Footprints of a plan go before those found. */
  plan(prints: Footprint[] | null): void {
    this.planned = prints;
    this.footprints = prints ?? this.found;
    this.drawPrints();
  }

  private drawPrints(): void {
    for (const print of [...this.prints.children]) {
      this.prints.remove(print);
      ((print as Mesh).material as MeshBasicMaterial).dispose();
    }
    this.footprints.forEach((print, index) => {
      const colour = print.left ? this.palette.left : this.palette.right;
      const material = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.3, side: DoubleSide, depthWrite: false });
      const mesh = new Mesh(this.soleShape, material);
      const length = Math.max(0.12, print.length);
      mesh.rotation.order = "YXZ";
      mesh.rotation.set(Math.PI / 2, (print.heading_deg * Math.PI) / 180, 0);
      mesh.scale.set(length, length, length);
      mesh.position.set(print.at[0], print.at[1] + LIFT.print, print.at[2]);
      mesh.userData["print"] = index;
      this.prints.add(mesh);
    });
  }

  /** Prints that stand at a frame are bright. */
  at(frame: number, x: number, z: number, chosen: number | null): void {
    (this.grid.material as ShaderMaterial).uniforms["middle"]!.value = [x, z];
    this.prints.children.forEach((mesh, index) => {
      const print = this.footprints[index] as Footprint;
      const stands = frame >= print.start && frame < print.end;
      ((mesh as Mesh).material as MeshBasicMaterial).opacity = index === chosen ? 1 : stands ? 0.85 : 0.42;
    });
  }

  visible(path: boolean, contacts: boolean): void {
    this.path.visible = path;
    this.prints.visible = contacts;
  }

  /** Support polygon and zero-moment point of a frame. */
  react(reaction: Reaction | null, frame: number): void {
    const at = frame - (reaction?.first ?? 0);
    const corners = reaction?.polygon[at] ?? [];
    const zmp = reaction?.zmp[at] ?? null;
    this.polygon.visible = corners.length > 2;
    if (this.polygon.visible) set(this.polygon.geometry, corners.flatMap(([x, z]) => [x, this.floor + LIFT.polygon, z]));
    this.zmp.visible = zmp !== null;
    if (zmp) this.zmp.position.set(zmp[0], this.floor + LIFT.zmp, zmp[1]);
  }

  /** Things on the floor that can be taken hold of. */
  get handles(): Object3D[] {
    return this.prints.visible ? this.prints.children : [];
  }
}

function set(geometry: BufferGeometry, values: number[]): void {
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(values), 3));
}
