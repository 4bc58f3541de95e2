import { describe, expect, it } from 'vitest';
import type { Json } from '../../transcript/types';
import { answerOf, messagesIn, runsIn, spacesIn } from './spaceResult';

const spaces = {
  spaces: [{ id: 's1', name: 'Shop', folder: '/shop', you: 'A', members: ['B'], current: true }],
};
const text = JSON.stringify(spaces);

describe('what a tool for spaces has answered', () => {
  it.each<[string, Json]>([
    ['structured content', { content: [{ type: 'text', text }], structuredContent: spaces }],
    ['content blocks', [{ type: 'text', text }]],
    ['a result of MCP without structured content', { content: [{ type: 'text', text }] }],
    ['JSON in a text', text],
    ['a text that says something before it', `Result:\n${text}`],
    ['an output within an object', { output: text, metadata: { truncated: false } }],
    ['a list of results', [{ result: { content: [{ type: 'text', text }] }, success: true }]],
    ['the object itself', spaces],
  ])('is found in %s', (_, told) => {
    expect(answerOf('listSpaces', told)).toEqual(spaces);
    expect(answerOf('listSpaces', undefined, told)).toEqual(spaces);
  });

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a text', 'No such tool'],
    ['broken JSON', '{"spaces": ['],
    ['another answer', { messages: [] }],
    ['a list where an object belongs', { spaces: 'none' }],
    ['what nests without end', JSON.parse(`${'{"a":'.repeat(50)}{"spaces":[]}${'}'.repeat(50)}`) as Json],
  ])('is not found in %s', (_, told) => {
    expect(answerOf('listSpaces', told)).toBeNull();
  });

  it('is read whatever is missing or of the wrong type', () => {
    expect(spacesIn(spaces)).toEqual([
      { id: 's1', name: 'Shop', folder: '/shop', members: ['B'], current: true },
    ]);
    expect(spacesIn({ spaces: [{}, 1, null, { name: 2, members: 'B' }] })).toEqual([
      { id: '', name: '', folder: '', members: [], current: false },
      { id: '', name: '2', folder: '', members: [], current: false },
    ]);
    expect(messagesIn({ messages: [{ id: 'm', author: 'A', text: 'Hi', at: 'now' }] })).toEqual([
      { id: 'm', author: 'A', text: 'Hi', at: 0 },
    ]);
    expect(runsIn({ runs: [{ id: 'r', messages: [{ spaceId: 's', messageId: 'm' }, 3] }] })).toEqual([
      { id: 'r', spaceId: '', state: '', startedAt: 0, messages: [{ spaceId: 's', messageId: 'm' }] },
    ]);
    expect(answerOf('sendSpaceMessage', [{ type: 'text', text: '{"messageId":"m","reply":"Yes"}' }])).toEqual(
      {
        messageId: 'm',
        reply: 'Yes',
      },
    );
  });
});
