import { oneLine } from '../../parts/clean';
import { seriesName } from './asTable';
import { percent } from './figures';
import { type Look, lookOf } from './look';
import { hatchOf } from './marks';
import type { Chart } from './model';
import { sliceName } from './Pie';
import { sliceShape } from './pie';
import { type Sign, signOf } from './signs';
import type { ShownChart } from './useShown';

const margin = 16;
const wide = 640;

/** Copies the chart as an image, or saves it if the clipboard doesn't support images. */
export async function copyPicture(
  root: HTMLElement,
  chart: Chart,
  shown: ShownChart,
): Promise<'copied' | 'saved'> {
  const picture = pngOf(pictureOf(root, chart, shown));
  if (typeof ClipboardItem !== 'undefined' && navigator.clipboard?.write !== undefined) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
      return 'copied';
    } catch {
      // Not allowed here, so it is saved.
    }
  }
  save(await picture, chart.title);
  return 'saved';
}

function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
      'image/png',
    );
  });
}

function save(blob: Blob, title: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${
    title
      .replace(/[^\p{L}\p{N} _-]+/gu, '')
      .trim()
      .slice(0, 60) || 'chart'
  }.png`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The chart with its title and legend, on the page color. */
function pictureOf(root: HTMLElement, chart: Chart, shown: ShownChart): HTMLCanvasElement {
  const ratio = Math.max(2, devicePixelRatio);
  const look = lookOf(root);
  const plot = root.querySelector<HTMLCanvasElement>('.uplot canvas');
  const width = (plot?.clientWidth ?? wide) + 2 * margin;
  const height = plot?.clientHeight ?? wide / 2;
  const row = look.size * 1.8;
  const legend = legendOf(chart, shown);
  const head = chart.title === '' ? margin : margin + row * 1.4;
  const canvas = document.createElement('canvas');
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('There is no canvas.');
  const places = laidOut(ctx, legend, width, look);
  const lines = (places.at(-1)?.line ?? -1) + 1;
  canvas.width = width * ratio;
  canvas.height = (head + height + lines * row + margin) * ratio;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = look.page;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.textBaseline = 'middle';
  ctx.fillStyle = look.ink;
  ctx.font = `600 ${look.size * 1.2}px ${look.font}`;
  ctx.fillText(oneLine(chart.title), margin, margin + row / 2, width - 2 * margin);
  if (plot === null) ring(ctx, shown, look, width / 2, head + height / 2, height / 2 - 8);
  else ctx.drawImage(plot, margin, head, plot.clientWidth, plot.clientHeight);
  ctx.font = `${look.size}px ${look.font}`;
  for (const { entry, line, left } of places) {
    const y = head + height + line * row + row / 2;
    ctx.fillStyle = look.colour(entry.sign.token);
    swatch(ctx, entry.sign, look, left, y, plot === null || chart.type === 'bar');
    ctx.fillStyle = look.ink;
    ctx.fillText(entry.name, left + 18, y);
  }
  return canvas;
}

interface Named {
  readonly name: string;
  readonly sign: Sign;
}

function legendOf(chart: Chart, { pie, places }: ShownChart): readonly Named[] {
  if (chart.type === 'pie') {
    return pie.slices.map((slice) => ({
      name: `${sliceName(slice)} ${percent(slice.share)}`,
      sign: signOf(slice.place),
    }));
  }
  return places.map((place) => ({
    name: oneLine(seriesName(chart, place)).slice(0, 60),
    sign: signOf(place),
  }));
}

/** Lays out the legend in as many lines as needed. */
function laidOut(ctx: CanvasRenderingContext2D, legend: readonly Named[], width: number, look: Look) {
  ctx.font = `${look.size}px ${look.font}`;
  let left = margin;
  let line = 0;
  return legend.map((entry) => {
    const needed = ctx.measureText(entry.name).width + 34;
    if (left > margin && left + needed > width - margin) {
      left = margin;
      line++;
    }
    const place = { entry, line, left };
    left += needed;
    return place;
  });
}

function swatch(
  ctx: CanvasRenderingContext2D,
  sign: Sign,
  look: Look,
  left: number,
  y: number,
  filled: boolean,
): void {
  if (!filled) {
    const shape = new Path2D();
    shape.addPath(new Path2D(sign.marker), new DOMMatrix([4, 0, 0, 4, left + 7, y]));
    ctx.fill(shape);
    return;
  }
  ctx.fillRect(left, y - 6, 12, 12);
  const hatch = hatchOf(ctx, sign, look.page, 1);
  if (hatch === null) return;
  ctx.fillStyle = hatch;
  ctx.fillRect(left, y - 6, 12, 12);
}

function ring(
  ctx: CanvasRenderingContext2D,
  { pie }: ShownChart,
  look: Look,
  x: number,
  y: number,
  radius: number,
): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(radius / 100, radius / 100);
  ctx.strokeStyle = look.page;
  ctx.lineWidth = 1.5;
  for (const slice of pie.slices) {
    const sign = signOf(slice.place);
    const shape = new Path2D(sliceShape(slice));
    ctx.fillStyle = look.colour(sign.token);
    ctx.fill(shape, 'evenodd');
    const hatch = hatchOf(ctx, sign, look.page, 1);
    if (hatch !== null) {
      ctx.fillStyle = hatch;
      ctx.fill(shape, 'evenodd');
    }
    ctx.stroke(shape);
  }
  ctx.restore();
}
