"use strict";
const show = JSON.parse(document.getElementById("show").textContent);
const points = show.parents.length;
const colours = ["#464a50", "#0072b2", "#d55e00"];

for (const performance of show.performances) {
  const raw = atob(performance.frames);
  const bytes = Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
  performance.steps = new Int16Array(bytes.buffer);
  performance.count = performance.steps.length / (3 * points);
}

/** Positions at a time, metres, between two stored frames. */
function positions(performance, seconds) {
  const at = Math.min(Math.max(seconds * show.fps, 0), performance.count - 1);
  const from = Math.floor(at);
  const to = Math.min(from + 1, performance.count - 1);
  const part = at - from;
  const out = new Float32Array(3 * points);
  for (let i = 0; i < out.length; i++) {
    const a = performance.steps[from * 3 * points + i];
    const b = performance.steps[to * 3 * points + i];
    out[i] = (a + (b - a) * part) * show.step_m;
  }
  return out;
}

function drawFigure(canvas, performance, seconds, yaw) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const p = positions(performance, seconds);
  const hipsX = p[3 * show.hips];
  const hipsZ = p[3 * show.hips + 2];
  const scale = height / 2.3;
  const tilt = 0.18;
  const project = (x, y, z) => {
    const dx = x - hipsX;
    const dz = z - hipsZ;
    const right = dx * Math.cos(yaw) - dz * Math.sin(yaw);
    const depth = dx * Math.sin(yaw) + dz * Math.cos(yaw);
    return [width / 2 + right * scale, height - 36 - (y * Math.cos(tilt) - depth * Math.sin(tilt)) * scale];
  };
  // The ground: lines every half metre that the body moves over.
  context.strokeStyle = "#e4e5e9";
  context.lineWidth = 1;
  const x0 = Math.round(hipsX * 2) / 2;
  const z0 = Math.round(hipsZ * 2) / 2;
  for (let k = -4; k <= 4; k++) {
    for (const ends of [
      [x0 + k / 2, z0 - 2, x0 + k / 2, z0 + 2],
      [x0 - 2, z0 + k / 2, x0 + 2, z0 + k / 2],
    ]) {
      context.beginPath();
      context.moveTo(...project(ends[0], 0, ends[1]));
      context.lineTo(...project(ends[2], 0, ends[3]));
      context.stroke();
    }
  }
  context.lineCap = "round";
  for (let i = 0; i < points; i++) {
    const parent = show.parents[i];
    if (parent < 0) continue;
    context.strokeStyle = colours[show.sides[i]];
    context.lineWidth = show.sides[i] === 0 ? 9 : 7;
    context.beginPath();
    context.moveTo(...project(p[3 * parent], p[3 * parent + 1], p[3 * parent + 2]));
    context.lineTo(...project(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
    context.stroke();
  }
  if (show.head !== null) {
    const [x, y] = project(p[3 * show.head], p[3 * show.head + 1] + 0.1, p[3 * show.head + 2]);
    context.fillStyle = colours[0];
    context.beginPath();
    context.arc(x, y, 0.1 * scale, 0, 2 * Math.PI);
    context.fill();
  }
}
