import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Session } from '../../state/session';
import { Weft, WeftContext } from '../../state/weft';
import type { Space } from '../../transport/api';
import type { Transport } from '../../transport/transport';
import { Composer } from './Composer';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('CSS', { supports: () => false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('keeps what it sends as a draft until the prompt is accepted', async () => {
  let saved = '';
  let accept = () => {};
  const given = new Promise<object>((done) => (accept = () => done({})));
  const answer = (command: string, request: { text?: string }): unknown => {
    if (command === 'Draft') return { text: saved, parts: [], start: null, aside: [], editedAt: 1 };
    if (command === 'SaveDraft') {
      saved = request.text ?? '';
      return { text: saved, parts: [], start: null, aside: [], editedAt: Date.now() };
    }
    return command === 'SendPrompt' ? given : {};
  };
  const call = vi.fn(async (command: string, request: object) => answer(command, request));
  const transport = { kind: 'serve', call } as unknown as Transport;
  window.matchMedia = (() => ({ matches: false, addEventListener() {}, removeEventListener() {} })) as never;
  const members = [{ id: 'm1', agentId: 'robin', agentName: 'Robin', name: 'Robin', isDefault: true }];
  const space = { id: 's1', title: 'Apples', folder: '/x', members } as unknown as Space;
  const later = () => act(() => vi.advanceTimersByTimeAsync(3000));
  render(
    <WeftContext value={new Weft(transport)}>
      <Composer session={new Session(transport, 's1')} space={space} />
    </WeftContext>,
  );
  await later();
  const field = screen.getByRole('textbox');
  fireEvent.input(field, { target: { value: 'Pick the apples' } });
  await later();
  expect(saved).toBe('Pick the apples');
  fireEvent.keyDown(field, { key: 'Enter' });
  await later();
  expect(call).toHaveBeenCalledWith('SendPrompt', expect.objectContaining({ text: 'Pick the apples' }));
  expect(saved).toBe('Pick the apples');
  accept();
  await later();
  expect(saved).toBe('');
});
