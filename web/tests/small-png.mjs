// Pictures made small: 256 colours chosen by median cut, written as an indexed PNG.

import { crc32, deflateSync } from "node:zlib";

/** Bits of each channel that distinguish colours. */
const BITS = 6;
const COLOURS = 256;

/** Width, height and RGBA of a picture, decoded by the browser. */
export async function pixels(page, png) {
  const [width, height, text] = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    pen.drawImage(picture, 0, 0);
    const { data } = pen.getImageData(0, 0, picture.width, picture.height);
    let letters = "";
    for (let at = 0; at < data.length; at += 32768) letters += String.fromCharCode(...data.subarray(at, at + 32768));
    return [picture.width, picture.height, btoa(letters)];
  }, png.toString("base64"));
  return { width, height, data: Buffer.from(text, "base64") };
}

const bin = (data, at) => ((data[at] >> (8 - BITS)) << (2 * BITS)) | ((data[at + 1] >> (8 - BITS)) << BITS) | (data[at + 2] >> (8 - BITS));

/** Boxes of colours that are split at their median until there are enough; gives the palette and each bin's place in it. */
function palette(data) {
  const sums = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = bin(data, at);
    const sum = sums.get(key) ?? { key, count: 0, rgb: [0, 0, 0] };
    sum.count += 1;
    for (let channel = 0; channel < 3; channel += 1) sum.rgb[channel] += data[at + channel];
    sums.set(key, sum);
  }
  const colours = [...sums.values()].map((sum) => ({ ...sum, rgb: sum.rgb.map((value) => value / sum.count) }));
  const boxes = [box(colours)];
  while (boxes.length < COLOURS) {
    boxes.sort((a, b) => b.worth - a.worth);
    const [widest] = boxes.splice(0, 1);
    if (widest.colours.length < 2) {
      boxes.push(widest);
      break;
    }
    const sorted = widest.colours.sort((a, b) => a.rgb[widest.channel] - b.rgb[widest.channel]);
    const half = sorted.reduce((all, colour) => all + Math.sqrt(colour.count), 0) / 2;
    let [seen, cut] = [0, 0];
    while (cut < sorted.length - 1 && seen < half) seen += Math.sqrt(sorted[cut++].count);
    cut = Math.max(1, cut);
    boxes.push(box(sorted.slice(0, cut)), box(sorted.slice(cut)));
  }
  const places = new Map();
  const table = boxes.map(({ colours: inside }, index) => {
    const count = inside.reduce((all, colour) => all + colour.count, 0);
    for (const { key } of inside) places.set(key, index);
    return [0, 1, 2].map((channel) => Math.round(inside.reduce((all, colour) => all + colour.rgb[channel] * colour.count, 0) / count));
  });
  return { table, places };
}

function box(colours) {
  const spans = [0, 1, 2].map((channel) => {
    const values = colours.map(({ rgb }) => rgb[channel]);
    return values.reduce((most, value) => Math.max(most, value), 0) - values.reduce((least, value) => Math.min(least, value), 255);
  });
  const channel = spans.indexOf(Math.max(...spans));
  const weight = colours.reduce((all, colour) => all + Math.sqrt(colour.count), 0);
  return { colours, channel, worth: colours.length < 2 ? -1 : spans[channel] * Math.sqrt(weight) };
}

function chunk(kind, body) {
  const named = Buffer.concat([Buffer.from(kind, "latin1"), body]);
  const out = Buffer.alloc(8 + named.length);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), 4 + named.length);
  return out;
}

/** The picture as an indexed PNG. */
export function smallPng({ width, height, data }) {
  const { table, places } = palette(data);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = places.get(bin(data, 4 * (y * width + x)));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(table.flat());
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
