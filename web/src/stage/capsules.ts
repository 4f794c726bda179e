// Many capsules as one instanced mesh: each instance has a matrix (place and direction) and a shape (two radii and half
// its length), so that its ends stay round whatever its length.

import {
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshDepthMaterial,
  MeshStandardMaterial,
  Quaternion,
  RGBADepthPacking,
  SphereGeometry,
  Vector3,
  type Material,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Capsule } from "./figure";
import { place } from "./figure";

/** Rings and sides of a capsule: round at the size of a limb. */
const [SIDES, RINGS] = [16, 11];

/** A sphere cut at its equator; `end` tells which half a corner belongs to. */
function geometry(): BufferGeometry {
  const sphere = new SphereGeometry(1, SIDES, RINGS);
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
const STRETCH = "vec3 transformed = position * (end > 0.0 ? shape.y : shape.x);\ntransformed.y += end * shape.z;";

function stretch(material: Material): void {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", DECLARE)
      .replace("#include <begin_vertex>", STRETCH);
  };
}

const UP = new Vector3(0, 1, 0);

export class Capsules {
  readonly mesh: InstancedMesh;
  private readonly shapes: InstancedBufferAttribute;
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly middle = new Vector3();
  private readonly turn = new Quaternion();
  private readonly one = new Vector3(1, 1, 1);
  private readonly matrix = new Matrix4();

  constructor(most: number, ghostly: boolean) {
    const body = geometry();
    this.shapes = new InstancedBufferAttribute(new Float32Array(3 * most), 3);
    this.shapes.setUsage(DynamicDrawUsage);
    body.setAttribute("shape", this.shapes);
    const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    if (ghostly) Object.assign(material, { transparent: true, opacity: 0.4 });
    stretch(material);
    this.mesh = new InstancedMesh(body, material, most);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.castShadow = !ghostly;
    this.mesh.receiveShadow = !ghostly;
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    stretch(depth);
    this.mesh.customDepthMaterial = depth;
  }

  begin(): void {
    this.mesh.count = 0;
  }

  /** Adds a body in a pose, shifted over the ground. */
  add(capsules: Capsule[], pose: Float32Array, colour: (capsule: Capsule) => Color, x = 0, z = 0): void {
    for (const capsule of capsules) {
      const at = this.mesh.count;
      if (at >= this.shapes.count) return;
      place(pose, capsule.from, this.from);
      place(pose, capsule.to, this.to);
      this.middle.addVectors(this.from, this.to).multiplyScalar(0.5);
      this.middle.x += x;
      this.middle.z += z;
      this.to.sub(this.from);
      const length = this.to.length();
      if (length > 1e-6) this.turn.setFromUnitVectors(UP, this.to.divideScalar(length));
      else this.turn.identity();
      this.mesh.setMatrixAt(at, this.matrix.compose(this.middle, this.turn, this.one));
      this.mesh.setColorAt(at, colour(capsule));
      this.shapes.setXYZ(at, capsule.radii[0], capsule.radii[1], length / 2);
      this.mesh.count = at + 1;
    }
  }

  end(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.shapes.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
