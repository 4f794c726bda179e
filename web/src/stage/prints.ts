// Footprints on the floor: soles that can be taken hold of, bright while their foot stands, on a slab where they are raised.

import {
  BoxGeometry,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Shape,
  ShapeGeometry,
  type Object3D,
} from "three";
import type { Footprint } from "../protocol";

/** Height over the floor that keeps a print from flickering, metres. */
const LIFT = 0.006;
/** Shortest print, metres, and the height from which one stands on a slab. */
const SHORTEST = 0.12;
const RAISED = 0.01;
/** How much of a print is seen: while its foot is in the air, stands, or while it is chosen. */
const OPACITY = { away: 0.34, stands: 0.8, chosen: 0.95 };

/** The outline of a sole, heel at the origin, toes along +Z, one metre long. */
function outline(): Shape {
  const shape = new Shape();
  shape.moveTo(0, -0.28);
  shape.bezierCurveTo(0.19, -0.3, 0.2, 0, 0.17, 0.2);
  shape.bezierCurveTo(0.16, 0.42, 0.26, 0.55, 0.26, 0.78);
  shape.bezierCurveTo(0.26, 1.16, -0.24, 1.16, -0.24, 0.78);
  shape.bezierCurveTo(-0.24, 0.55, -0.16, 0.42, -0.17, 0.2);
  shape.bezierCurveTo(-0.2, 0, -0.19, -0.3, 0, -0.28);
  return shape;
}

interface Print {
  sole: Mesh<ShapeGeometry, MeshBasicMaterial>;
  edge: LineLoop<BufferGeometry, LineBasicMaterial>;
  slab: Mesh<BoxGeometry, MeshStandardMaterial>;
}

export class Prints {
  readonly group = new Group();
  private readonly soles = new Group();
  private readonly shape = new ShapeGeometry(outline(), 8);
  private readonly edge = new BufferGeometry().setFromPoints(outline().getPoints(8));
  private readonly box = new BoxGeometry(1, 1, 1);
  private readonly stone = new MeshStandardMaterial({ roughness: 0.9, transparent: true, opacity: 0.55 });
  private readonly all: Print[] = [];
  private shown: readonly Footprint[] = [];
  private left = new Color();
  private right = new Color();
  private chosen = new Color();
  private floor = 0;

  constructor() {
    this.group.add(this.soles);
  }

  colours(left: string, right: string, chosen: string, stone: string): void {
    this.left.set(left);
    this.right.set(right);
    this.chosen.set(chosen);
    this.stone.color.set(stone);
    this.show(this.shown, this.floor);
  }

  /** Puts these on the floor; meshes are used again, as a drag shows them many times a second. */
  show(prints: readonly Footprint[], floor: number): void {
    this.shown = prints;
    this.floor = floor;
    while (this.all.length < prints.length) this.all.push(this.make(this.all.length));
    this.all.forEach((print, index) => this.put(print, prints[index]));
  }

  private make(index: number): Print {
    const flat = { transparent: true, depthWrite: false };
    const sole = new Mesh(this.shape, new MeshBasicMaterial({ ...flat, side: DoubleSide }));
    const edge = new LineLoop(this.edge, new LineBasicMaterial(flat));
    const slab = new Mesh(this.box, this.stone);
    slab.castShadow = slab.receiveShadow = true;
    sole.add(edge);
    sole.rotation.order = "YXZ";
    sole.userData["print"] = index;
    this.soles.add(sole);
    this.group.add(slab);
    return { sole, edge, slab };
  }

  private put({ sole, edge, slab }: Print, print: Footprint | undefined): void {
    sole.visible = print !== undefined;
    slab.visible = false;
    if (!print) return;
    const length = Math.max(SHORTEST, print.length);
    const turn = (print.heading_deg * Math.PI) / 180;
    sole.material.color.copy(print.left ? this.left : this.right);
    edge.material.color.copy(sole.material.color);
    sole.rotation.set(Math.PI / 2, turn, 0);
    sole.scale.setScalar(length);
    sole.position.set(print.at[0], print.at[1] + LIFT, print.at[2]);
    const high = print.at[1] - this.floor;
    slab.visible = high > RAISED;
    if (!slab.visible) return;
    slab.scale.set(1.1 * length, high, 1.8 * length);
    slab.rotation.y = turn;
    // The middle of a sole lies before its heel.
    const ahead = 0.4 * length;
    slab.position.set(print.at[0] + ahead * Math.sin(turn), this.floor + high / 2, print.at[2] + ahead * Math.cos(turn));
  }

  /** Those that stand at a frame are bright, and one may be chosen. */
  at(frame: number, chosen: number | null): void {
    this.shown.forEach((print, index) => {
      const { sole, edge } = this.all[index] as Print;
      const stands = frame >= print.start && frame < print.end;
      sole.material.opacity = index === chosen ? OPACITY.chosen : stands ? OPACITY.stands : OPACITY.away;
      edge.material.opacity = index === chosen || stands ? 1 : 0.75;
      edge.material.color.copy(index === chosen ? this.chosen : sole.material.color);
    });
  }

  /** Soles that can be taken hold of. */
  get handles(): Object3D[] {
    return this.group.visible ? this.soles.children.filter((sole) => sole.visible) : [];
  }
}
