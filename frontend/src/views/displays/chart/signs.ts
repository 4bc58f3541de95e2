// What tells series apart: a color, and with it a shape, a dash and a hatching, so that color is never the only sign.

export const colours = 8;

export interface Sign {
  /** The name of the token of its color. */
  readonly token: string;
  readonly dash: readonly number[];
  /** A path around 0,0 of about the radius 1. */
  readonly marker: string;
  /** Lines in a tile of 8 by 8; empty: plain. */
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

/** The sign of a series or a slice. After the last color they begin again, each with the next dash and shape. */
export function signOf(place: number): Sign {
  const colour = place % colours;
  const turn = (colour + Math.floor(place / colours) * 3) % colours;
  return {
    token: `--chart-${colour + 1}`,
    dash: dashes[turn] ?? [],
    marker: markers[turn] ?? '',
    hatch: hatches[turn] ?? '',
  };
}
