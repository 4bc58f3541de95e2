// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { Drafts } from '../../state/drafts';
import type { Session } from '../../state/session';
import type { Transport } from '../../transport/transport';
import { History } from './history';

const prompts = ['one', 'two\nlines', 'three'];
const session = {
  spaceId: 'a',
  store: {
    get: () => ({
      conversation: {
        messages: prompts.map((text) => ({ role: 'user', segments: [{ type: 'text', text }] })),
      },
    }),
  },
} as unknown as Session;

/** A field with a draft and a history. */
class Page {
  readonly drafts: Drafts;
  readonly field = document.createElement('textarea');
  history: History;

  constructor() {
    const call = async (_: string, request: object) => ({ parts: [], start: null, ...request, editedAt: 1 });
    this.drafts = new Drafts({ kind: 'serve', call } as unknown as Transport, () => {});
    this.drafts.begin('a', '');
    this.history = new History(session, this.drafts);
  }
  get draft() {
    return this.drafts.content('a').text;
  }
  put(text: string, caret = text.length) {
    this.field.value = text;
    this.field.setSelectionRange(caret, caret);
  }
  type(text: string) {
    const at = this.field.selectionEnd;
    const { value } = this.field;
    this.put(value.slice(0, at) + text + value.slice(at), at + text.length);
    this.history.typed(this.field.value, false);
  }
  up() {
    const text = this.history.step(-1, this.field);
    if (text !== null) this.put(text);
    else this.field.setSelectionRange(0, 0);
  }
  down() {
    const text = this.history.step(1, this.field);
    if (text !== null) this.put(text);
    else this.put(this.field.value);
  }
  send() {
    this.put(this.history.sent());
  }
  reload() {
    this.history = new History(session, this.drafts);
    this.put(this.draft);
  }
}

let page: Page;
beforeEach(() => {
  vi.useFakeTimers();
  page = new Page();
});

it('keeps the draft while earlier prompts are in the field, and after one of them was sent', () => {
  page.type('my draft');
  for (let i = 0; i < 4; i++) page.up();
  expect(page.field.value).toBe('one');
  expect(page.draft).toBe('my draft');
  page.send();
  expect(page.field.value).toBe('my draft');
  page.send();
  expect([page.field.value, page.draft]).toEqual(['', '']);
});

it('leads back to the draft from an earlier prompt that was changed, and to that again', () => {
  page.type('my draft');
  page.up();
  page.up();
  page.type('!');
  page.down();
  expect(page.field.value).toBe('my draft');
  page.reload();
  page.up();
  page.up();
  expect(page.field.value).toBe('three!');
  page.send();
  expect(page.field.value).toBe('my draft');
  expect(page.drafts.content('a').aside).toEqual([]);
});

it('takes a changed prompt for the draft where there is no other', () => {
  page.up();
  page.type('!');
  expect(page.draft).toBe('three!');
  expect(page.drafts.content('a').aside).toEqual([]);
});

it('follows undo and redo between the draft and earlier prompts', () => {
  page.type('my draft');
  page.up();
  page.up();
  page.history.typed('my draft', true);
  expect(page.history.active).toBe(false);
  page.history.typed('three', true);
  expect(page.history.active).toBe(true);
  expect(page.draft).toBe('my draft');
});

it('loses nothing, whatever is typed, recalled and sent', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    page = new Page();
    const steps: string[] = [];
    let draft = '';
    for (let i = 0; i < 30; i++) {
      const does = random.pick(['type', 'type', 'up', 'up', 'down', 'down', 'send', 'reload'] as const);
      steps.push(does);
      const was = { active: page.history.active, text: page.field.value };
      if (does === 'type') page.type(String.fromCharCode(97 + (i % 26)));
      else page[does]();
      if (was.active && does === 'type' && draft === '') draft = page.field.value;
      else if (!was.active && does === 'type') draft = page.field.value;
      else if (!was.active && does === 'send') draft = '';
      const told = `${seed}: ${steps.join(' ')}`;
      expect(page.draft, told).toBe(draft);
      if (!page.history.active) expect(page.field.value, told).toBe(draft);
      // An edited prompt stays in the history until it is sent.
      if (page.history.active && does === 'type')
        expect(page.drafts.content('a').aside, told).toContain(page.field.value);
      if (was.active && does === 'send') expect(page.drafts.content('a').aside, told).not.toContain(was.text);
    }
    // The way back to the draft always works.
    for (let i = 0; i < 40 && page.history.active; i++) page.down();
    expect(page.field.value).toBe(draft);
  }
});
