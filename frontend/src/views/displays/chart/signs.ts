// Distinguishes series by color, and also by shape, dash and hatching, so that color is never the only difference.

export const colorCount = 8;

export interface Sign {
  /** Name of the token of its color. */
  readonly token: string;
  readonly dash: readonly number[];
  /** A path around 0,0 with a radius of about 1. */
  readonly marker: string;
  /** Lines in a tile of 8 by 8; empty for plain. */
  readonly hatch: string;
}

const markers = [
  'M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0Z',
  'M-.9-.9H.9V.9H-.9Z',
  'M0-1.2 1.1.8H-1.1Z',
  'M0-1.3 1.1 0 0 1.3-1.1 0Z',
  'M0 1.2 1.1-.8H-1.1Z',
  'M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z',
  'M-1.2 0 .8-1.1V1.1Z',
  'M-.6-1.1H.6L1.2 0 .6 1.1H-.6L-1.2 0Z',
];

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 3], [14, 4], [6, 2, 2, 2, 2, 2], [1, 4]];

const hatches = [
  '',
  'M-2 2 2-2M0 8 8 0M6 10 10 6',
  'M0 4H8',
  'M-2 6 2 10M0 0 8 8M6-2 10 2',
  'M4 0V8',
  'M0 4H8M4 0V8',
  'M0 0 8 8M0 8 8 0',
  'M2 4H6',
];

/** The marker of a series or a slice. After the last color, they repeat with the next dash and shape. */
export function signOf(place: number): Sign {
  const colour = place % colorCount;
  const turn = (colour + Math.floor(place / colorCount) * 3) % colorCount;
  return {
    token: `--chart-${colour + 1}`,
    dash: dashes[turn] ?? [],
    marker: markers[turn] ?? '',
    hatch: hatches[turn] ?? '',
  };
}
