function hue(name) {
  let sum = 0;
  for (const letter of name.split("/")[0]) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return sum;
}

function drawLanes(canvas, performance, seconds) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  // The ten seconds around now.
  const span = Math.min(10, show.seconds);
  const start = Math.min(Math.max(seconds - span / 2, 0), show.seconds - span);
  const names = 52;
  const x = (t) => names + ((t - start) / span) * (width - names);
  const lane = height / performance.layers.length;
  performance.layers.forEach((layer, row) => {
    const top = row * lane;
    context.fillStyle = "#6b7280";
    context.font = "13px system-ui, sans-serif";
    context.fillText(layer.name, 0, top + lane / 2 + 3, names - 4);
    for (const clip of layer.clips) {
      const from = Math.max(x(clip.start_s), names);
      const to = Math.min(x(clip.end_s), width);
      if (to <= from) continue;
      context.fillStyle = `hsl(${hue(clip.name)} 55% 82%)`;
      context.fillRect(from, top + 2, to - from - 1, lane - 6);
      if (clip.key) {
        context.strokeStyle = "#23262b";
        context.lineWidth = 2;
        context.strokeRect(from + 1, top + 3, to - from - 3, lane - 8);
      }
      context.save();
      context.beginPath();
      context.rect(from, top, to - from - 4, lane);
      context.clip();
      context.fillStyle = "#23262b";
      context.font = "13px system-ui, sans-serif";
      context.fillText(clip.name, Math.max(from, 0) + 5, top + lane / 2 + 3);
      context.restore();
    }
  });
  context.fillStyle = "#c1121f";
  context.fillRect(x(seconds) - 1, 0, 2, height);
}

const slider = document.getElementById("time");
const clock = document.getElementById("clock");
const play = document.getElementById("play");
const view = document.getElementById("view");
let now = 0;
let playing = true;
let before = null;

function draw() {
  const yaw = -Number(view.value);
  for (const canvas of document.querySelectorAll("canvas[data-performance]")) {
    drawFigure(canvas, show.performances[canvas.dataset.performance], now, yaw);
  }
  for (const canvas of document.querySelectorAll("canvas[data-lanes]")) {
    drawLanes(canvas, show.performances[canvas.dataset.lanes], now);
  }
  slider.value = String((1000 * now) / show.seconds);
  clock.value = `${now.toFixed(1)} s`;
}

function step(time) {
  if (playing && before !== null) now = (now + (time - before) / 1000) % show.seconds;
  before = time;
  if (playing) draw();
  requestAnimationFrame(step);
}

play.addEventListener("click", () => {
  playing = !playing;
  play.textContent = playing ? "Pause" : "Play";
});
slider.addEventListener("input", () => {
  now = (Number(slider.value) / 1000) * show.seconds;
  draw();
});
view.addEventListener("change", draw);
// A place in the address, as in index.html#12.5, stands still there.
const wanted = Number(location.hash.slice(1));
if (location.hash && Number.isFinite(wanted)) {
  now = Math.min(Math.max(wanted, 0), show.seconds);
  playing = false;
  play.textContent = "Play";
}
draw();
requestAnimationFrame(step);
