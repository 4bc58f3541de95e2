import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Store } from '../../state/store';
import { WeftContext } from '../../state/weft';
import { agent, call, done, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import type { Visibility } from '../../transcript/types';
import { Disclosures } from '../transcript/disclosure';
import { ReadingContext } from '../transcript/reading';
import { ToolRow } from './ToolRow';

function row(
  visibility: Visibility,
  failed = false,
  title = 'Weigh the crates',
  summary = 'Weighed 12 crates',
) {
  const start = { ...call(0, 0, { title }), visibility, input: { crates: 12 } };
  const { status: _completed, ...ended } = done(0, 0);
  const end = failed
    ? ({
        ...ended,
        type: 'tool_call_error',
        error: 'The scale is broken.',
        retryable: false,
        wasRetried: false,
      } as const)
    : done(0, 0, summary);
  return show(start, end);
}

function show(...events: Parameters<typeof sequence>) {
  const segment = applyEvents(emptyConversation, sequence(agent, ...events)).messages[0]?.segments[0];
  const item = (segment?.type === 'tool-group' ? segment.items[0] : undefined) as ToolCall;
  const reading = {
    session: {},
    disclosures: new Disclosures(),
    thoughts: 'in-place',
    forks: new Map(),
    voices: null,
    hold: () => {},
  };
  const weft = { server: new Store({ spaces: [], changes: {} }) };
  return render(
    <WeftContext value={weft as never}>
      <ReadingContext value={reading as never}>
        <ToolRow id="t" call={item} messageId="m1" segment={0} item={0} />
      </ReadingContext>
    </WeftContext>,
  );
}

it('says that the user has rejected a call, and not what its agent says of that', () => {
  const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
  const options = [{ optionId: 'no', name: 'Reject', kind: 'reject_once' }];
  const asked = { type: 'permission_request' as const, ...at, requestId: 'p', options };
  const answer = {
    type: 'permission_resolved',
    ...at,
    requestId: 'p',
    optionId: 'no',
    status: 'rejected',
  } as const;
  const words = 'The user rejected this tool call.';
  const refused = { type: 'tool_call_update', ...at, error: words } as const;
  const rule = { who: 'rule', effect: 'reject' } as const;
  for (const { how, said } of [
    { how: { outcome: 'selected' }, said: 'You rejected this' },
    { how: { outcome: 'cancelled' }, said: 'You rejected this' },
    { how: { outcome: 'selected', by: rule }, said: 'Rejected' },
  ]) {
    const { container, unmount } = show(call(0, 0, { title: 'ls' }), asked, { ...answer, ...how }, refused);
    expect(container.querySelector('.tool-time')?.textContent).toBe(said);
    expect(container.textContent).not.toContain(words);
    unmount();
  }
});

it('draws a minimal call as its title and status, without details', () => {
  row('minimal');
  expect(screen.getByText('Weigh the crates')).toBeTruthy();
  expect(screen.queryByText('Weighed 12 crates')).toBeNull();
  expect(screen.getAllByRole('button').map((one) => one.getAttribute('aria-label'))).toEqual([
    'Actions for Weigh the crates',
  ]);
});

it('says why a minimal call failed', () => {
  row('minimal', true);
  expect(screen.getByText('The scale is broken.')).toBeTruthy();
});

it('draws every other call with what it did, and opens it', () => {
  row('full');
  expect(screen.getByText('Weighed 12 crates')).toBeTruthy();
  expect(screen.getByRole('button', { name: /Weighed 12 crates/, expanded: false })).toBeTruthy();
});

it('says once what a call is called and has come to', () => {
  row('full', false, 'read', 'Read');
  expect(screen.getAllByText(/^read$/i).map(({ textContent }) => textContent)).toEqual(['read']);
});
