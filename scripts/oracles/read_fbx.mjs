// Plays an FBX file with three.js's FBXLoader, which is independent of the reader of Ugoki, and compares the joints
// of every frame with the positions in a TRC file.
// Usage: read_fbx.mjs IN.fbx POSITIONS.trc NODE_MODULES; ends with 1 when a joint is missing or 0.1 mm off.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// FBXLoader makes images for textures; our files have none.
globalThis.window = globalThis;
globalThis.self = globalThis;
globalThis.document = { createElementNS: () => ({ style: {}, addEventListener() {}, removeEventListener() {} }) };

const LIMIT_M = 1e-4; // a tenth of a millimetre: f32 in FBX and its centimetres
const [file, positions, modules] = process.argv.slice(2);
const three = resolve(modules, 'three');
const THREE = await import(`${three}/build/three.module.js`);
const { FBXLoader } = await import(`${three}/examples/jsm/loaders/FBXLoader.js`);

const bytes = readFileSync(file);
const scene = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
const lines = readFileSync(positions, 'utf8').split(/\r?\n/);
const [fps, , frames, , unit] = lines[2].split('\t');
const metres = { mm: 1e-3, cm: 1e-2, m: 1 }[unit];
const labels = lines[3].split('\t').slice(2).filter(Boolean);
const rows = lines.slice(5).filter((line) => line.trim()).map((line) => line.split('\t').map(Number));
const joints = labels.map((label) => scene.getObjectByName(THREE.PropertyBinding.sanitizeNodeName(label)));
const missing = labels.filter((_, i) => !joints[i]);

const clip = scene.animations.reduce((a, b) => (a.duration > b.duration ? a : b));
const mixer = new THREE.AnimationMixer(scene);
mixer.clipAction(clip).play();
const place = new THREE.Vector3();
let worst = 0;
let where = '';
for (const [frame, row] of rows.entries()) {
  // At its very end an action starts again.
  mixer.setTime(Math.min(frame / fps, clip.duration - 1e-6));
  scene.updateMatrixWorld(true);
  for (const [i, joint] of joints.entries()) {
    if (!joint) continue;
    joint.getWorldPosition(place).multiplyScalar(0.01);
    const wanted = row.slice(2 + 3 * i, 5 + 3 * i).map((v) => v * metres);
    const away = Math.hypot(place.x - wanted[0], place.y - wanted[1], place.z - wanted[2]);
    if (away > worst) [worst, where] = [away, `${labels[i]}, frame ${frame}`];
  }
}
const seconds = (rows.length - 1) / fps;
const late = Math.abs(clip.duration - seconds);
console.log(`three.js: ${frames} frames, ${labels.length} joints, worst ${(1e3 * worst).toFixed(4)} mm (${where}), ` +
  `missing ${missing.length}, length off by ${(1e3 * late).toFixed(2)} ms`);
process.exit(missing.length || worst > LIMIT_M || late > 0.5 / fps ? 1 : 0);
