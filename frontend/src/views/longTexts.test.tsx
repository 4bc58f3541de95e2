import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { expect, it } from 'vitest';
import { Store } from '../state/store';
import { WeftContext } from '../state/weft';
import { agent, call, sequence } from '../transcript/events.fixture';
import { applyEvents } from '../transcript/fold';
import { emptyConversation, type ToolCall } from '../transcript/model';
import { Facts } from './displays/Facts';
import { TableDisplay } from './displays/table/TableDisplay';
import { noSpot } from './find/spot';
import { Lines, WholeLine } from './parts/Lines';
import { ExactText } from './requests/ExactText';
import { Pieces } from './search/Pieces';
import { AnsiText } from './tools/AnsiText';
import { ReadText } from './tools/ReadText';
import { ToolRow } from './tools/ToolRow';
import { Disclosures } from './transcript/disclosure';
import { ReadingContext } from './transcript/reading';

// A browser lays out a text node as a whole, however little of it is in view.
const line = 'a'.repeat(200_000);
const most = 8 * 1024;

const segment = applyEvents(emptyConversation, sequence(agent, call(0, 0, { title: line }))).messages[0]
  ?.segments[0];
const named = (segment?.type === 'tool-group' ? segment.items[0] : undefined) as ToolCall;
const weft = { server: new Store({ spaces: [], changes: {}, about: { home: '' } }) } as never;
const reading = {
  session: { spaceId: 's', store: new Store({ space: { folder: '/x' }, conversation: { messages: [] } }) },
  disclosures: new Disclosures(),
  thoughts: 'in-place',
  forks: new Map(),
  voices: null,
  spot: noSpot,
  hold: () => {},
} as never;

it.each<[string, ReactElement]>([
  ['text of others', <Lines key="" text={line} />],
  ['an address or a rule', <WholeLine key="" text={line} />],
  ['the output of a tool', <AnsiText key="" text={line} most={line.length} />],
  ['a file that was read', <ReadText key="" text={line} path="a.txt" />],
  ['a hit of a search', <Pieces key="" of={[{ text: line, hit: true }, { text: line }]} />],
  ['all of a text with hits', <Pieces key="" whole of={[{ text: line, hit: true }, { text: line }]} />],
  ['what a request is about', <ExactText key="" text={line} all />],
  ['the facts of a display', <Facts key="" of={[{ label: line, value: line }]} />],
  ['a table', <TableDisplay key="" input={{ title: line, rows: [{ [line]: line }] }} writing={false} />],
  [
    'the title of a call',
    <WeftContext key="" value={weft}>
      <ReadingContext value={reading}>
        <ToolRow id="t" call={named} messageId="m1" segment={0} item={0} />
      </ReadingContext>
    </WeftContext>,
  ],
])('%s is not laid out as a whole', (_, element) => {
  const { container } = render(element);
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  let longest = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    longest = Math.max(longest, node.textContent?.length ?? 0);
  expect(longest).toBeGreaterThan(100);
  expect(longest).toBeLessThan(most);
});
