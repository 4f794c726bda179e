const canvas = document.querySelector("canvas");
const slider = document.querySelector("input");
const button = document.querySelector("button");
let now = 0;
let playing = true;
let before = null;
let yaw = -0.6;

function draw() {
  drawFigure(canvas, show.performances[0], now, yaw);
  slider.value = String((1000 * now) / show.seconds);
}

function step(time) {
  if (playing && before !== null) now = (now + (time - before) / 1000) % show.seconds;
  before = time;
  if (playing) draw();
  requestAnimationFrame(step);
}

button.addEventListener("click", () => {
  playing = !playing;
  button.textContent = playing ? "Pause" : "Play";
});
slider.addEventListener("input", () => {
  now = (Number(slider.value) / 1000) * show.seconds;
  draw();
});
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons === 0) return;
  yaw -= event.movementX / 100;
  draw();
});
draw();
requestAnimationFrame(step);
