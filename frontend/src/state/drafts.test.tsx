import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Random } from '../markdown/testing/random';
import type { Draft, Request } from '../transport/api';
import { CommandError, type Transport } from '../transport/transport';
import { Drafts } from './drafts';

const skew = 500_000;

/** A backend shared by several windows. */
class Backend {
  readonly saved = new Map<string, Draft>();
  readonly windows: Drafts[] = [];
  saves = 0;
  fail: CommandError | null = null;
  /** Latency of the next requests, in ms. */
  readonly delays: number[] = [];

  open(say: (sentence: string) => void = () => {}): Drafts {
    const call = async (command: string, request: Request<'SaveDraft'>) => {
      await Promise.resolve();
      const delay = this.delays.shift();
      if (delay !== undefined) await new Promise((arrived) => setTimeout(arrived, delay));
      if (this.fail !== null) throw this.fail;
      const { spaceId, text, parts, start, ago = 0, by = '', over = 0 } = request;
      const was = this.saved.get(spaceId) ?? { text: '', parts: [], start: null, editedAt: 0 };
      // The backend's clock differs from that of the windows.
      let editedAt = Math.max(1, Date.now() - skew - ago);
      if (over !== 0 && over === was.editedAt) editedAt = Math.max(editedAt, over + 1);
      if (command === 'Draft' || editedAt < (was.editedAt ?? 0)) return was;
      this.saves++;
      const now = { text, parts: parts ?? [], start: start ?? null, editedAt };
      this.saved.set(spaceId, now);
      for (const one of this.windows) one.receive({ spaceId, by, editedAt: now.editedAt });
      return now;
    };
    const window = new Drafts({ kind: 'serve', call } as unknown as Transport, say);
    this.windows.push(window);
    return window;
  }

  text(spaceId = 'a') {
    return this.saved.get(spaceId)?.text;
  }
}

let backend: Backend;
beforeEach(() => {
  vi.useFakeTimers();
  backend = new Backend();
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);
const later = () => vi.advanceTimersByTimeAsync(3000);

/** Records each text that a window receives for a draft. */
function watched(window: Drafts, spaceId = 'a') {
  const texts: string[] = [];
  window.watch(spaceId, ({ text }) => texts.push(text));
  return texts;
}

it('saves once after a pause, and in between when there is none', async () => {
  const one = backend.open();
  watched(one);
  await settle();
  for (const text of ['a', 'ab', 'abc']) {
    one.change('a', { text });
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(backend.saves).toBe(0);
  await later();
  expect(backend.text()).toBe('abc');
  expect(backend.saves).toBe(1);
  for (let i = 0; i < 50; i++) {
    one.change('a', { text: `abc${i}` });
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(backend.saves).toBeGreaterThanOrEqual(3);
  expect(backend.saves).toBeLessThanOrEqual(4);
});

it('keeps what is typed right after a prompt was sent, however long that takes to be saved', async () => {
  const one = backend.open();
  watched(one);
  await settle();
  one.change('a', { text: 'sent' });
  await later();
  backend.delays.push(200);
  one.clear('a');
  await vi.advanceTimersByTimeAsync(20);
  one.change('a', { text: 'next' });
  await later();
  expect(one.content('a').text).toBe('next');
  expect(backend.text()).toBe('next');
});

it('leaves a newer edit of another window alone, whatever was saved before', async () => {
  const [one, two] = [backend.open(), backend.open()];
  watched(one);
  watched(two);
  await settle();
  one.change('a', { text: 'mine' });
  await later();
  // It takes longer than the other window needs to write something newer.
  backend.delays.push(5000);
  one.change('a', { text: 'mine, older' });
  await vi.advanceTimersByTimeAsync(500);
  two.change('a', { text: 'newer' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(backend.text()).toBe(one.content('a').text);
  expect(backend.text()).toBe(two.content('a').text);
});

it('tells another window, and has no echo', async () => {
  const [one, two] = [backend.open(), backend.open()];
  const [first, second] = [watched(one), watched(two)];
  await settle();
  one.change('a', { text: 'Hello' });
  await later();
  expect(first).toEqual(['']);
  expect(second).toEqual(['', 'Hello']);
  two.change('a', { text: 'Hello, you' });
  await later();
  expect(first).toEqual(['', 'Hello, you']);
  expect(second).toEqual(['', 'Hello']);
});

it('keeps what is being typed when another window saves, and the last edit wins', async () => {
  const [one, two] = [backend.open(), backend.open()];
  const second = watched(two);
  watched(one);
  await settle();
  one.change('a', { text: 'from one' });
  await vi.advanceTimersByTimeAsync(350);
  two.change('a', { text: 'from two' });
  await vi.advanceTimersByTimeAsync(60);
  expect(backend.text()).toBe('from one');
  expect(second).toEqual(['']);
  await later();
  expect(backend.text()).toBe('from two');
  expect(one.content('a').text).toBe('from two');
});

it('puts what is typed before the draft was read behind it', async () => {
  backend.saved.set('a', { text: 'An old ', parts: [], start: null, editedAt: 5 });
  const one = backend.open();
  const texts = watched(one);
  one.change('a', { text: 'x' });
  await settle();
  expect(texts).toEqual(['An old x']);
  await later();
  expect(backend.text()).toBe('An old x');
});

it('empties a draft that was sent at once, and nothing brings it back', async () => {
  const one = backend.open();
  watched(one);
  await settle();
  one.change('a', { text: 'Send this' });
  one.clear('a');
  await settle();
  await settle();
  expect(backend.text()).toBe('');
  await later();
  expect(backend.text()).toBe('');
});

it('keeps trying where the backend does not answer, and reads first what it could not read', async () => {
  backend.saved.set('a', { text: 'Kept. ', parts: [], start: null, editedAt: 5 });
  backend.fail = new CommandError('offline', "Weft isn't responding.");
  const one = backend.open();
  watched(one);
  one.change('a', { text: 'More' });
  await later();
  backend.fail = null;
  one.flushAll();
  await later();
  expect(backend.text()).toBe('Kept. More');
});

it('says once that a draft is too long, and saves again when it is shorter', async () => {
  const said: string[] = [];
  const one = backend.open((sentence) => said.push(sentence));
  watched(one);
  await settle();
  backend.fail = new CommandError('too_large', 'Too long.');
  for (const text of ['xxx', 'xxxx', 'xxxxx']) {
    one.change('a', { text });
    await later();
  }
  expect(said).toEqual(['Too long.']);
  backend.fail = null;
  one.change('a', { text: 'xx' });
  await later();
  expect(backend.text()).toBe('xx');
});

it('keeps what is saved until what was sent is accepted, and if it is not', async () => {
  const window = backend.open();
  watched(window);
  await settle();
  window.change('a', { text: 'words' });
  await later();
  let refuse = () => {};
  const given = new Promise<void>((done) => (refuse = done));
  window.change('a', { text: '' });
  void window.sent('a', given);
  await later();
  expect(backend.text()).toBe('words');
  window.change('a', { text: 'words' }); // it was refused
  backend.fail = new CommandError('disk_full', 'The disk is full.');
  refuse();
  await later();
  expect(backend.text()).toBe('words');
  backend.fail = null;
  window.change('a', { text: '' });
  void window.sent('a', Promise.resolve());
  await settle();
  expect(backend.text()).toBe('');
});

it('leaves what a full disk does not take to the next page, and saves it once there is room', async () => {
  const window = backend.open();
  watched(window);
  await settle();
  backend.fail = new CommandError('disk_full', 'The disk is full.');
  window.change('a', { text: 'words' });
  await later();
  // Weft is killed and restarted, and this page is a new one.
  backend.fail = null;
  const next = backend.open();
  await next.adopt([]);
  expect(backend.text()).toBe('words');

  watched(next, 'b');
  await settle();
  backend.fail = new CommandError('disk_full', 'The disk is full.');
  next.change('b', { text: 'others' });
  await later();
  backend.fail = null;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(backend.text('b')).toBe('others');
});

it('leaves what was not saved to the next page', async () => {
  const one = backend.open();
  watched(one);
  await settle();
  one.change('a', { text: 'Half a' });
  await later();
  backend.fail = new CommandError('offline', "Weft isn't responding.");
  one.change('a', { text: 'Half a thought' });
  one.handOver();
  await later();
  backend.windows.length = 0;
  backend.fail = null;
  const two = backend.open();
  const texts = watched(two);
  await settle();
  await two.adopt(['a']);
  await later();
  expect(backend.text()).toBe('Half a thought');
  expect(texts).toEqual(['Half a', 'Half a thought']);
  expect(localStorage.length).toBe(0);
});

it('does not replace a newer edit by what a page has left', async () => {
  localStorage.setItem('weft.unsaved.a', JSON.stringify({ text: 'Old', parts: [], editedAt: 7 }));
  localStorage.setItem('weft.unsaved.b', '{torn');
  backend.saved.set('a', { text: 'New', parts: [], start: null, editedAt: 9 });
  await backend.open().adopt(['a', 'b']);
  expect(backend.text()).toBe('New');
  expect(localStorage.length).toBe(0);
});

it('takes over what earlier versions kept in the browser', async () => {
  localStorage.setItem('weft.draft.a', 'Typed long ago');
  localStorage.setItem('weft.draft.request-1', 'An answer');
  const part = { name: 'x.png', size: 3, kind: 'image', part: { hash: 'abc', name: 'x.png' } };
  sessionStorage.setItem('weft.attached.a', JSON.stringify([part, { name: 'broken' }]));
  await backend.open().adopt(['a', 'b']);
  expect(backend.saved.get('a')).toMatchObject({
    text: 'Typed long ago',
    parts: [{ hash: 'abc', name: 'x.png', size: 3, kind: 'image' }],
  });
  expect(Object.keys(localStorage)).toEqual(['weft.draft.request-1']);
  expect(sessionStorage.length).toBe(0);
});

it('forgets the draft of a space that is gone', async () => {
  const one = backend.open();
  watched(one);
  await settle();
  backend.fail = new CommandError('not_found', 'Gone.');
  one.change('a', { text: 'For nobody' });
  await later();
  backend.fail = null;
  one.flushAll();
  await later();
  expect(backend.saves).toBe(0);
});

// Windows type, get disconnected, and are closed and reopened in any order: in the end the backend and all of them have
// the last edit.
it('ends with the last edit in every window', async () => {
  for (let round = 1; round <= 150; round++) {
    const random = new Random(round);
    localStorage.clear();
    backend = new Backend();
    const open = async () => {
      const window = backend.open();
      const texts = watched(window);
      await settle();
      await window.adopt(['a']);
      await settle();
      return { window, texts };
    };
    const windows = [await open(), await open(), await open()];
    let last = '';
    for (let step = 0; step < 25; step++) {
      const at = random.below(windows.length);
      const { window } = windows[at] as (typeof windows)[number];
      switch (random.below(6)) {
        case 0:
        case 1:
        case 2:
          last = `${round}.${step}`;
          window.change('a', { text: last });
          break;
        case 3:
          backend.fail = backend.fail === null ? new CommandError('offline', 'No.') : null;
          if (backend.fail === null) for (const one of windows) one.window.flushAll();
          break;
        case 4:
          backend.fail = null;
          window.handOver();
          backend.windows.splice(backend.windows.indexOf(window), 1);
          await settle();
          windows[at] = await open();
          break;
      }
      await vi.advanceTimersByTimeAsync(1 + random.below(700));
    }
    backend.fail = null;
    for (const { window } of windows) window.flushAll();
    await later();
    await later();
    const seen = windows.map(({ window }) => window.content('a').text);
    expect([backend.text() ?? '', ...seen], `round ${round}`).toEqual([last, last, last, last]);
    for (const { texts } of windows) expect(texts.at(-1) ?? '').toBeTypeOf('string');
  }
});

it('reads again what was saved elsewhere while it was being read', async () => {
  const one = backend.open();
  const answers: (() => void)[] = [];
  const slow = async (command: string, request: Request<'SaveDraft'>) => {
    const was = backend.saved.get(request.spaceId) ?? { text: '', parts: [], start: null, editedAt: 0 };
    if (command === 'Draft') await new Promise<void>((resolve) => answers.push(resolve));
    return was;
  };
  const two = new Drafts({ kind: 'serve', call: slow } as unknown as Transport, () => {});
  backend.windows.push(two);
  const texts = watched(two);
  await settle();
  one.change('a', { text: 'From one' });
  await later();
  answers[0]?.();
  await settle();
  answers[1]?.();
  await settle();
  expect(texts.at(-1)).toBe('From one');
});
