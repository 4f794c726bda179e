// Many capsules as one instanced mesh: each instance has a matrix (place and direction) and a shape (two radii and half
// its length), so that its ends stay round whatever its length.

import {
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedMesh,
  MeshBasicMaterial,
  MeshDepthMaterial,
  MeshStandardMaterial,
  RGBADepthPacking,
  SphereGeometry,
  type Material,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Capsule } from "./figure";
import { place } from "./figure";

/** Sides and rings of a capsule: round at the size of a limb, and enough for one among a hundred bodies. */
export const FINE = [16, 11] as const;
export const COARSE = [7, 5] as const;

/** A sphere cut at its equator; `end` says which half a corner belongs to. */
function geometry([sides, rings]: readonly [number, number]): BufferGeometry {
  const sphere = new SphereGeometry(1, sides, rings);
  const position = sphere.getAttribute("position");
  const ends: number[] = [];
  for (let at = 0; at < position.count; at += 1) {
    // An odd number of rings leaves none on the equator.
    ends.push(position.getY(at) > 0 ? 1 : -1);
  }
  sphere.setAttribute("end", new Float32BufferAttribute(ends, 1));
  return sphere;
}

const DECLARE = "attribute float end;\nattribute vec3 shape;\n#include <common>";
const LENGTHEN = "vec3 transformed = position * (end > 0.0 ? shape.y : shape.x);\ntransformed.y += end * shape.z;";

function lengthen(material: Material): void {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", DECLARE)
      .replace("#include <begin_vertex>", LENGTHEN);
  };
}

export class Capsules {
  readonly mesh: InstancedMesh;
  /** Of a ghost, drawn into the depth alone before it: only its nearest surface is seen then, and not what is inside. */
  readonly veil: InstancedMesh | null = null;
  private readonly shapes: InstancedBufferAttribute;
  private readonly from = { x: 0, y: 0, z: 0 };
  private readonly to = { x: 0, y: 0, z: 0 };
  private readonly tints: InstancedBufferAttribute;
  private before = 0;

  constructor(most: number, ghostly: boolean, shape: readonly [number, number] = FINE) {
    const body = geometry(shape);
    this.shapes = new InstancedBufferAttribute(new Float32Array(3 * most), 3);
    this.shapes.setUsage(DynamicDrawUsage);
    body.setAttribute("shape", this.shapes);
    const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    if (ghostly) Object.assign(material, { transparent: true, opacity: 0.42, depthWrite: false });
    lengthen(material);
    this.mesh = new InstancedMesh(body, material, most);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.tints = new InstancedBufferAttribute(new Float32Array(3 * most), 3);
    this.tints.setUsage(DynamicDrawUsage);
    this.mesh.instanceColor = this.tints;
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.castShadow = !ghostly;
    this.mesh.receiveShadow = !ghostly;
    if (ghostly) {
      // A little behind, as two programs need not agree on a depth to the last bit.
      const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
      const nothing = new MeshBasicMaterial({ colorWrite: false, transparent: true, ...behind });
      lengthen(nothing);
      this.veil = new InstancedMesh(body, nothing, 0);
      this.veil.instanceMatrix = this.mesh.instanceMatrix;
      this.veil.frustumCulled = false;
      // Things that are seen through are drawn in this order.
      [this.veil.renderOrder, this.mesh.renderOrder] = [1, 2];
    }
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    lengthen(depth);
    this.mesh.customDepthMaterial = depth;
  }

  begin(): void {
    this.before = this.mesh.count;
    this.mesh.count = 0;
  }

  /** Adds a body in a pose, shifted over the ground. */
  add(capsules: Capsule[], pose: Float32Array, colour: (capsule: Capsule) => Color, x = 0, z = 0): void {
    for (const capsule of capsules) {
      const at = this.mesh.count;
      if (at >= this.shapes.count) return;
      place(pose, capsule.from, this.from);
      place(pose, capsule.to, this.to);
      const half = this.lay(16 * at, x, z);
      const tint = colour(capsule);
      const tints = this.tints.array;
      tints[3 * at] = tint.r;
      tints[3 * at + 1] = tint.g;
      tints[3 * at + 2] = tint.b;
      const shapes = this.shapes.array;
      shapes[3 * at] = capsule.radii[0];
      shapes[3 * at + 1] = capsule.radii[1];
      shapes[3 * at + 2] = half;
      this.mesh.count = at + 1;
    }
  }

  /** Writes the matrix that lays a capsule from one point to the other; gives half its length. */
  private lay(at: number, x: number, z: number): number {
    const { from, to } = this;
    let ux = to.x - from.x;
    let uy = to.y - from.y;
    let uz = to.z - from.z;
    const length = Math.sqrt(ux * ux + uy * uy + uz * uz);
    const is = length > 1e-6;
    ux = is ? ux / length : 0;
    uy = is ? uy / length : 1;
    uz = is ? uz / length : 0;
    // It is round: any direction across it serves as the first axis.
    const level = uy < 0.9 && uy > -0.9;
    const across = 1 / Math.sqrt(level ? ux * ux + uz * uz : uy * uy + uz * uz);
    const ax = level ? uz * across : 0;
    const ay = level ? 0 : -uz * across;
    const az = (level ? -ux : uy) * across;
    const m = this.mesh.instanceMatrix.array;
    m[at] = ax;
    m[at + 1] = ay;
    m[at + 2] = az;
    m[at + 3] = 0;
    m[at + 4] = ux;
    m[at + 5] = uy;
    m[at + 6] = uz;
    m[at + 7] = 0;
    m[at + 8] = ay * uz - az * uy;
    m[at + 9] = az * ux - ax * uz;
    m[at + 10] = ax * uy - ay * ux;
    m[at + 11] = 0;
    m[at + 12] = (from.x + to.x) / 2 + x;
    m[at + 13] = (from.y + to.y) / 2;
    m[at + 14] = (from.z + to.z) / 2 + z;
    m[at + 15] = 1;
    return length / 2;
  }

  /** Sends what was added to the graphics card, and no more. */
  end(): void {
    const { count } = this.mesh;
    this.mesh.visible = count > 0;
    if (this.veil) [this.veil.count, this.veil.visible] = [count, count > 0];
    if (count === 0 && this.before === 0) return;
    for (const attribute of [this.mesh.instanceMatrix, this.shapes, this.tints]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, count * attribute.itemSize);
      attribute.needsUpdate = true;
    }
  }
}
