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
  type Object3D,
} from "three";
import type { Footprint, Motion, Reaction } from "../protocol";
import { Prints } from "./prints";

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

export interface Palette {
  line: string;
  left: string;
  right: string;
  accent: string;
  ghost: string;
  text: string;
  /** How dark shadows are, 0 to 1. */
  shadow: number;
}

/** Heights over the floor that keep flat things from flickering, metres. */
const LIFT = { path: 0.004, polygon: 0.008, zmp: 0.01 };

export class Ground {
  readonly group = new Group();
  private readonly grid = grid();
  private readonly shadow: Mesh;
  private readonly path: Line;
  private readonly polygon: LineLoop;
  private readonly area: Mesh<BufferGeometry, MeshBasicMaterial>;
  private readonly zmp: Mesh;
  private readonly prints = new Prints();
  private found: Footprint[] = [];
  private planned: Footprint[] | null = null;
  private floor = 0;

  constructor() {
    this.shadow = new Mesh(new PlaneGeometry(2 * FLOOR, 2 * FLOOR), new ShadowMaterial({ opacity: 0.3 }));
    this.shadow.rotation.x = -Math.PI / 2;
    this.shadow.receiveShadow = true;
    this.path = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
    this.polygon = new LineLoop(new BufferGeometry(), new LineBasicMaterial());
    const sheer = { transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false };
    this.area = new Mesh(new BufferGeometry(), new MeshBasicMaterial(sheer));
    this.zmp = new Mesh(new RingGeometry(0.016, 0.032, 24), new MeshBasicMaterial({ side: DoubleSide }));
    this.zmp.rotation.x = -Math.PI / 2;
    this.group.add(this.grid, this.shadow, this.path, this.area, this.polygon, this.zmp, this.prints.group);
    for (const thing of [this.path, this.polygon, this.area]) thing.frustumCulled = false;
    this.react(null, 0);
  }

  colours(palette: Palette): void {
    (this.grid.material as ShaderMaterial).uniforms["line"]!.value = new Color(palette.line);
    (this.path.material as LineBasicMaterial).color.set(palette.accent);
    (this.polygon.material as LineBasicMaterial).color.set(palette.accent);
    this.area.material.color.set(palette.accent);
    (this.shadow.material as ShadowMaterial).opacity = palette.shadow;
    (this.zmp.material as MeshBasicMaterial).color.set(palette.accent);
    this.prints.colours(palette.left, palette.right, palette.text, palette.ghost);
  }

  show(motion: Motion): void {
    this.floor = motion.floor;
    this.grid.position.y = motion.floor;
    this.shadow.position.y = motion.floor - 0.002;
    const flat = motion.path.flatMap(([x, , z]) => [x, motion.floor + LIFT.path, z]);
    set(this.path.geometry, flat);
    this.found = motion.footprints;
    this.prints.show(this.planned ?? this.found, this.floor);
  }

  /** Nothing but the grid. */
  clear(): void {
    [this.found, this.planned] = [[], null];
    set(this.path.geometry, []);
    this.prints.show([], this.floor);
    this.react(null, 0);
  }

  /** Footprints of a plan go before those found. */
  plan(prints: Footprint[] | null): void {
    this.planned = prints;
    this.prints.show(prints ?? this.found, this.floor);
  }

  /** Where the figure is; prints that stand at a frame are bright. */
  at(frame: number, x: number, z: number, chosen: number | null): void {
    (this.grid.material as ShaderMaterial).uniforms["middle"]!.value = [x, z];
    this.prints.at(frame, chosen);
  }

  visible(path: boolean, contacts: boolean): void {
    this.path.visible = path;
    this.prints.group.visible = contacts;
  }

  /** Support polygon and zero-moment point of a frame. */
  react(reaction: Reaction | null, frame: number): void {
    const at = frame - (reaction?.first ?? 0);
    const corners = reaction?.polygon[at] ?? [];
    const zmp = reaction?.zmp[at] ?? null;
    this.polygon.visible = this.area.visible = corners.length > 2;
    if (this.polygon.visible) {
      const high = this.floor + LIFT.polygon;
      const flat = corners.map(([x, z]) => [x, high, z]);
      set(this.polygon.geometry, flat.flat());
      // It has no dents: triangles from its first corner fill it.
      const [first = [], ...rest] = flat;
      set(this.area.geometry, rest.slice(1).flatMap((corner, at) => [...first, ...(rest[at] ?? []), ...corner]));
    }
    this.zmp.visible = zmp !== null;
    if (zmp) this.zmp.position.set(zmp[0], this.floor + LIFT.zmp, zmp[1]);
  }

  /** Things on the floor that can be taken hold of. */
  get handles(): Object3D[] {
    return this.prints.handles;
  }
}

/** Other corners; as many as before go where those were. */
function set(geometry: BufferGeometry, values: number[]): void {
  const known = geometry.getAttribute("position");
  if (known instanceof BufferAttribute && known.array.length === values.length) {
    known.set(values);
    known.needsUpdate = true;
  } else {
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(values), 3));
  }
}
