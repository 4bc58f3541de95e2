/**
 * Streams a long answer into a virtual list, ten deltas of 24 characters per frame, as the transcript
 * does, and measures the main thread: how long it is busy per frame, in total, and at worst. The result
 * is in `window.__bench` when it is done. Parameters: ?length=1000000&paced=1 (one step per frame;
 * otherwise the next step follows at once).
 */
import { useLayoutEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { VList, type VListHandle } from 'virtua';
import { MarkdownDocument, MarkdownGroupView, useMarkdown } from '../src/markdown';
import { longAnswer } from './answer';
import './markdown-page.css';

const DELTA = 24;
const DELTAS_PER_FRAME = 10;

interface BenchResult {
  readonly engine: string;
  readonly length: number;
  readonly frames: number;
  /** Busy main-thread time per frame, from the animation frame to after layout and paint work. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longestStall: number;
  readonly totalSeconds: number;
  /** Busy seconds of each quarter of the text: equal when the cost is linear. */
  readonly quarters: readonly number[];
  readonly nodes: number;
  readonly groups: number;
}

declare global {
  interface Window {
    __bench?: BenchResult;
  }
}

const parameters = new URLSearchParams(location.search);
const length = Number(parameters.get('length') ?? 1_000_000);
const text = longAnswer(length, Number(parameters.get('seed') ?? 7));
const markdown = new MarkdownDocument();
const openLink = () => {};

function Transcript() {
  const { groups } = useMarkdown(markdown);
  const list = useRef<VListHandle>(null);
  useLayoutEffect(() => {
    list.current?.scrollToIndex(groups.length - 1, { align: 'end' });
  }, [groups]);
  return (
    <VList ref={list} className="list" data={groups}>
      {(group) => (
        <MarkdownGroupView key={group.key} group={group} context={markdown.context} onOpenLink={openLink} />
      )}
    </VList>
  );
}

const busy: number[] = [];
let longest = 0;
let at = 0;

/** A message posted in a frame arrives when its scripts, layout and paint are done. */
const afterPaint = new MessageChannel();
let started = 0;
afterPaint.port1.onmessage = () => {
  const time = performance.now() - started;
  busy.push(time);
  longest = Math.max(longest, time);
  if (at >= text.length) finish();
  else requestAnimationFrame(step);
};

function step() {
  performance.mark('frame');
  started = performance.now();
  for (let i = 0; i < DELTAS_PER_FRAME && at < text.length; i++) {
    markdown.append(text.slice(at, at + DELTA));
    at += DELTA;
  }
  if (at >= text.length) markdown.end();
  markdown.flush();
  afterPaint.port2.postMessage(null);
}

function finish() {
  const sorted = busy.toSorted((a, b) => a - b);
  const percentile = (p: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0);
  const quarter = Math.ceil(busy.length / 4);
  const sum = (times: readonly number[]) => round(times.reduce((a, b) => a + b, 0) / 1000);
  window.__bench = {
    engine: navigator.userAgent,
    length: text.length,
    frames: busy.length,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
    longestStall: round(longest),
    totalSeconds: sum(busy),
    quarters: [0, 1, 2, 3].map((i) => sum(busy.slice(i * quarter, (i + 1) * quarter))),
    nodes: document.querySelectorAll('*').length,
    groups: markdown.getSnapshot().groups.length,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

const root = document.getElementById('root');
if (root === null) throw new Error('no #root');
createRoot(root).render(<Transcript />);
requestAnimationFrame(step);
