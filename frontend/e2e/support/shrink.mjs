import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

// Makes the pictures of the gallery small enough for the repository: each has a palette of 256 colors at most. The rare ones move by
// at most 16 of 255, which no one sees and the comparison allows.

const folder = resolve(import.meta.dirname, '../gallery.spec.ts-snapshots');
const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** The parts of a PNG, by their types; those of the picture itself joined. */
function chunksOf(file) {
  const chunks = new Map();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), data]));
    at += length + 12;
  }
  return chunks;
}

function paeth(left, above, corner) {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** The bytes of a picture with 8 bits a channel. */
function pixelsOf(data, width, height, channels) {
  const raw = inflateSync(data);
  const stride = width * channels;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? out[at - channels] : 0;
      const above = y > 0 ? out[at - stride] : 0;
      const corner = x >= channels && y > 0 ? out[at - stride - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      out[at] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
}

const channelsOf = (color) => [color >> 16, (color >> 8) & 255, color & 255];

/** How far two colors are apart in the channel in which they are furthest apart. */
function apart(one, other) {
  const [a, b] = [channelsOf(one), channelsOf(other)];
  return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
}

/** Colors of so many pixels are grounds and lines: they stay as they are. */
const frequent = 1000;

/** For each color its place in a palette that has one as near as `most` for each; null if 256 are too few. */
function paletteOf(colors, most) {
  const palette = [];
  const places = new Map();
  for (const [color, count] of colors) {
    let nearest = -1;
    let least = most + 1;
    for (const [i, one] of count < frequent ? palette.entries() : []) {
      const distance = apart(color, one);
      if (distance < least) [nearest, least] = [i, distance];
    }
    if (nearest < 0) {
      if (palette.length === 256) return null;
      nearest = palette.push(color) - 1;
    }
    places.set(color, nearest);
  }
  return { palette, places };
}

/** A picture by places in a palette. What is frequent, such as grounds, keeps its color; edges of letters give way. */
function indexed(pixels, count, channels) {
  const counts = new Map();
  const colorAt = (i) => {
    const at = i * channels;
    return (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
  };
  for (let i = 0; i < count; i++) counts.set(colorAt(i), (counts.get(colorAt(i)) ?? 0) + 1);
  const colors = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  for (const most of [12, 14, 16]) {
    const found = paletteOf(colors, most);
    if (found === null) continue;
    const indices = Buffer.alloc(count);
    for (let i = 0; i < count; i++) indices[i] = found.places.get(colorAt(i));
    return { palette: found.palette, indices };
  }
  return null;
}

function chunk(type, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function shrunk(file) {
  const chunks = chunksOf(file);
  const head = chunks.get('IHDR');
  const [width, height, kind] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9]];
  if (kind !== 2 && kind !== 6) return file;
  const channels = kind === 2 ? 3 : 4;
  const pixels = pixelsOf(chunks.get('IDAT'), width, height, channels);
  const small = indexed(pixels, width * height, channels);
  if (small === null) return file;
  const { palette, indices } = small;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) indices.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const newHead = Buffer.from(head);
  newHead.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap(channelsOf));
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    signature,
    ...[chunk('IHDR', newHead), chunk('PLTE', colors), chunk('IDAT', data), chunk('IEND')],
  ]);
}

let total = 0;
// What shows how a machine draws is kept as it is.
for (const name of readdirSync(folder).filter((one) => one.endsWith('.png') && !one.startsWith('machine'))) {
  const path = resolve(folder, name);
  const before = readFileSync(path);
  const after = shrunk(before);
  if (after.length < before.length) writeFileSync(path, after);
  total += Math.min(after.length, before.length);
}
process.stdout.write(`The pictures of the gallery have ${(total / 2 ** 20).toFixed(1)} MB.\n`);
