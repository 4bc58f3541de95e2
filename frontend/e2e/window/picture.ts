/**
 * How many colors a picture has, which is a file as `xwd` and the screen without a screen write it: numbers of four bytes in the order of the network
 * (how long they are, and what follows them), a table of colors, and the points, of four bytes each.
 */
export function colorsIn(file: Buffer): number {
  const header = (field: number) => file.readUInt32BE(4 * field);
  const [length, version, bits, entries] = [header(0), header(1), header(11), header(19)];
  if (version !== 7 || bits !== 32) {
    throw new Error(`A picture of version ${version} with ${bits} bits for a point can't be read.`);
  }
  const colors = new Set<number>();
  for (let at = length + 12 * entries; at + 4 <= file.length; at += 4)
    colors.add(file.readUInt32LE(at) & 0xffffff);
  return colors.size;
}

/** How many colors are within a part of a picture, in pixels from its corner. */
export function colorsWithin(
  file: Buffer,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): number {
  const header = (field: number) => file.readUInt32BE(4 * field);
  const start = header(0) + 12 * header(19);
  const line = header(12);
  const colors = new Set<number>();
  for (let row = Math.ceil(y); row < Math.floor(y + height); row++)
    for (let column = Math.ceil(x); column < Math.floor(x + width); column++)
      colors.add(file.readUInt32LE(start + row * line + 4 * column) & 0xffffff);
  return colors.size;
}
