import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { Store } from '../../state/store';
import { readCalls } from '../../state/toolCalls';
import { type Weft, WeftContext } from '../../state/weft';
import type { ToolCalls } from '../../transport/api';
import { CallSettings } from './CallSettings';

const calls = (spaceTools: ToolCalls['spaceTools']): ToolCalls => ({ rules: [], servers: [], spaceTools });

/** Shows the settings; the test decides when the command responds. */
function show() {
  const server = new Store({ agents: [], toolCalls: readCalls(calls('rows')) });
  let resolve = (_: ToolCalls) => {};
  let reject = (_: Error) => {};
  const answer = new Promise<ToolCalls>((...ends) => {
    [resolve, reject] = ends;
  });
  const weft = {
    server,
    transport: { call: () => answer },
    beginToolCallsUpdate: () => (now: ToolCalls) => server.set({ toolCalls: readCalls(now) }),
    attempt: (_what: string, work: () => Promise<unknown>) => work().catch(() => {}),
  } as unknown as Weft;
  render(
    <WeftContext value={weft}>
      <CallSettings />
    </WeftContext>,
  );
  const told = (now: ToolCalls) => act(() => server.set({ toolCalls: readCalls(now) }));
  return { told, resolve, reject, field: screen.getByRole('switch') };
}

it('shows what was chosen at once, also when an earlier change is told meanwhile', async () => {
  const { told, resolve, field } = show();
  await userEvent.click(field);
  expect(field).toBeChecked();
  told(calls('rows'));
  expect(field).toBeChecked();
  await act(async () => resolve(calls('displays')));
  expect(field).toBeChecked();
  told(calls('rows'));
  expect(field).not.toBeChecked();
});

it('shows what is kept where it could not be changed', async () => {
  const { reject, field } = show();
  await userEvent.click(field);
  await act(async () => reject(new Error('no')));
  expect(field).not.toBeChecked();
});
