import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyEvents } from '../../src/transcript/fold';
import { foldEvents } from '../../src/transcript/fold.fixture';
import { messageJson } from '../../src/transcript/json.fixture';
import { emptyConversation } from '../../src/transcript/model';
import type { Event } from '../../src/transcript/types';

/** Written by `go test ./backend/conversation/transcript -run TestWriteSequences -args -sequences=DIR`. */
interface Sequence {
  seed: number;
  case: number;
  events: Event[];
  messages: unknown;
}

const folder = process.env['WEFT_SEQUENCES'] ?? '';
const files = folder === '' ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'));

describe.skipIf(folder === '')('the fold of random events', () => {
  it('has sequences to fold', () => expect(files.length).toBeGreaterThan(0));

  for (const file of files) {
    const {
      seed,
      case: number,
      events,
      messages,
    } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Sequence;
    it(`makes what the Go fold makes: seed ${seed}, case ${number}`, () => {
      expect(foldEvents(events)).toEqual(messages);
    });
    it(`makes the same of them one by one as all at once: seed ${seed}, case ${number}`, () => {
      let conversation = emptyConversation;
      for (const event of events) conversation = applyEvents(conversation, [event]);
      expect(conversation.messages.map(messageJson)).toEqual(messages);
    });
  }
});
