// Runs in the browser: loads files, plays them to given moments, reports where joints are.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from "@pixiv/three-vrm-animation";

const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));

function play(scene, clip) {
  const mixer = new THREE.AnimationMixer(scene);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  return (seconds) => {
    // A finished action stays finished: restart it for every moment.
    action.reset();
    mixer.setTime(Math.min(seconds, clip.duration));
  };
}

const place = (object) => object.getWorldPosition(new THREE.Vector3()).toArray();

/** Places of the first joints' nodes, which follow the common parent, at every moment. */
window.playModel = async (name, count, seconds) => {
  const gltf = await loader.loadAsync(name);
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => gltf.parser.getDependency("node", i + 1)));
  const seek = play(gltf.scene, gltf.animations[0]);
  return seconds.map((moment) => {
    seek(moment);
    gltf.scene.updateMatrixWorld(true);
    return nodes.map(place);
  });
};

/** Places of the avatar's own bones by role at every moment. */
window.playAvatar = async (vrmName, vrmaName, roles, seconds) => {
  const { vrm } = (await loader.loadAsync(vrmName)).userData;
  const [animation] = (await loader.loadAsync(vrmaName)).userData.vrmAnimations;
  const seek = play(vrm.scene, createVRMAnimationClip(animation, vrm));
  const places = seconds.map((moment) => {
    seek(moment);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    return roles.map((role) => {
      const bone = vrm.humanoid.getRawBoneNode(role);
      return bone ? place(bone) : null;
    });
  });
  return { places, version: vrm.meta.metaVersion };
};

/** Draws one moment; returns the fraction of the picture that the body fills. */
window.showModel = async (name, seconds) => {
  const gltf = await loader.loadAsync(name);
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(innerWidth, innerHeight);
  document.body.replaceChildren(renderer.domElement);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0xf4f4f2);
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x8a8a90, 2));
  const sun = new THREE.DirectionalLight(0xffffff, 2);
  sun.position.set(2, 4, 3);
  scene.add(sun);
  play(gltf.scene, gltf.animations[0])(seconds);
  gltf.scene.updateMatrixWorld(true);
  const box = new THREE.Box3();
  gltf.scene.traverse((object) => {
    if (object.isSkinnedMesh) {
      object.frustumCulled = false;
      object.computeBoundingBox();
      box.union(object.boundingBox.clone().applyMatrix4(object.matrixWorld));
    }
  });
  const middle = box.getCenter(new THREE.Vector3());
  const size = box.getSize(new THREE.Vector3()).length();
  const grid = new THREE.GridHelper(4, 16, 0xbbbbbb, 0xdddddd);
  grid.position.set(middle.x, 0, middle.z);
  scene.add(grid);
  const camera = new THREE.PerspectiveCamera(30, innerWidth / innerHeight, 0.01, 100);
  camera.position.copy(middle).add(new THREE.Vector3(0.8, 0.25, 1).normalize().multiplyScalar(size * 1.9));
  camera.lookAt(middle);
  const count = () => {
    renderer.render(scene, camera);
    const gl = renderer.getContext();
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels;
  };
  gltf.scene.visible = false;
  const empty = count();
  gltf.scene.visible = true;
  const full = count();
  let different = 0;
  for (let i = 0; i < full.length; i += 4) different += full[i] !== empty[i] || full[i + 2] !== empty[i + 2];
  return different / (full.length / 4);
};

window.ready = true;
