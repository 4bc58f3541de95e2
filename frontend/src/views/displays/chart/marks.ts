import type uPlot from 'uplot';
import { stepOf } from './frame';
import type { Look } from './look';
import type { Sign } from './signs';

// Drawing that uPlot doesn't include: markers of several shapes, and grouped bars.

/** Draws a marker at each point of a series. `size`: its radius in CSS pixels. */
export function drawMarkers(u: uPlot, at: number, sign: Sign, look: Look, size: number): void {
  const ratio = devicePixelRatio;
  const shape = new Path2D(sign.marker);
  const all = new Path2D();
  const ys = u.data[at] ?? [];
  for (let i = 0; i < ys.length; i++) {
    const y = ys[i];
    const x = u.data[0][i];
    if (y === null || y === undefined || x === undefined) continue;
    const scale = size * ratio;
    all.addPath(
      shape,
      new DOMMatrix([scale, 0, 0, scale, u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)]),
    );
  }
  u.ctx.save();
  u.ctx.fillStyle = look.colour(sign.token);
  u.ctx.strokeStyle = look.page;
  u.ctx.lineWidth = ratio;
  u.ctx.stroke(all);
  u.ctx.fill(all);
  u.ctx.restore();
}

/** Draws the bars of a series: the `nth` of `of` side by side. */
export function drawBars(u: uPlot, at: number, sign: Sign, look: Look, nth: number, of: number): void {
  const ratio = devicePixelRatio;
  const xs = u.data[0];
  const ys = u.data[at] ?? [];
  const group = groupWidth(u, stepOf(xs as number[]));
  const width = Math.max(ratio, group / of - (group / of > 6 * ratio ? ratio : 0));
  const zero = u.valToPos(0, 'y', true);
  const bars = new Path2D();
  for (let i = 0; i < ys.length; i++) {
    const y = ys[i];
    const x = xs[i];
    if (y === null || y === undefined || x === undefined) continue;
    const left = Math.round(u.valToPos(x, 'x', true) - group / 2 + (nth * group) / of);
    const top = u.valToPos(y, 'y', true);
    bars.rect(
      left,
      Math.min(top, zero),
      Math.max(1, Math.round(width)),
      Math.max(Math.abs(top - zero), ratio / 2),
    );
  }
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.fillStyle = look.colour(sign.token);
  ctx.fill(bars);
  const hatch = width > 5 * ratio ? hatchOf(ctx, sign, look.page, ratio) : null;
  if (hatch !== null) {
    ctx.fillStyle = hatch;
    ctx.fill(bars);
  }
  ctx.restore();
}

function groupWidth(u: uPlot, step: number): number {
  const one = Math.abs(u.valToPos(step, 'x', true) - u.valToPos(0, 'x', true));
  return Math.min(one * 0.78, u.bbox.width * 0.5);
}

/** The hatching as a canvas pattern; null for a plain fill. */
export function hatchOf(
  ctx: CanvasRenderingContext2D,
  { hatch }: Sign,
  colour: string,
  ratio: number,
): CanvasPattern | null {
  if (hatch === '') return null;
  const tile = document.createElement('canvas');
  tile.width = 8 * ratio;
  tile.height = 8 * ratio;
  const on = tile.getContext('2d');
  if (on === null) return null;
  on.scale(ratio, ratio);
  on.globalAlpha = 0.7;
  on.strokeStyle = colour;
  on.lineWidth = 1.25;
  on.stroke(new Path2D(hatch));
  return ctx.createPattern(tile, 'repeat');
}
