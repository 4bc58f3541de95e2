import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { runAction } from '../../keyboard/actions';
import { say } from '../../state/notify';
import { Store } from '../../state/store';
import { type Weft, WeftContext } from '../../state/weft';
import type { Agent, Space, Unasked } from '../../transport/api';
import { AgentOffers } from './AgentOffers';

vi.mock('../../state/notify', () => ({ say: vi.fn() }));
vi.mock('../../keyboard/actions', () => ({ runAction: vi.fn() }));
beforeEach(() => vi.clearAllMocks());

const did = (change: Partial<Unasked> = {}): Unasked => ({
  ...{ kind: 'execute', about: 'rm -rf build', spaceId: 's', at: 1, offered: true, problem: '' },
  ...change,
});
const agent = (id: string, unasked: Unasked | null, change: Partial<Agent> = {}): Agent => ({
  ...{ id, name: id, description: '', homepage: '', command: `/bin/${id}`, args: ['-x'], env: { A: 'b' } },
  ...{ cwd: 'space', process: 'perSpace', source: 'found', installed: true, installHint: '', default: false },
  ...{
    secretEnv: { KEY: 'file:1' },
    logOut: false,
    registry: null,
    sandbox: null,
    modelProxy: null,
    model: null,
    unasked,
    tested: null,
    leads: [],
    wholeFrom: '',
  },
  ...change,
});

/** Shows the offer in a space of these agents; `after` is their state once it was answered. */
function show(agents: readonly Agent[], after: readonly Agent[] = []) {
  const store = new Store({ agents });
  const call = vi.fn(async (_name: string, _request: unknown) => {});
  const weft = {
    server: store,
    transport: {
      call: (name: string, request: unknown) => (name === 'ListAgents' ? after : call(name, request)),
    },
    attempt: (_what: string, work: () => Promise<unknown>) => work(),
  } as unknown as Weft;
  const space = { id: 's', members: agents.map(({ id }) => ({ id, agentId: id })) } as unknown as Space;
  render(
    <WeftContext value={weft}>
      <button type="button">Before</button>
      <AgentOffers space={space} />
    </WeftContext>,
  );
  return { store, call };
}
const offer = () => screen.queryByRole('region', { name: /^Sandbox for/ });
const button = (name: string) => screen.getByRole('button', { name });

it.each<[Unasked['kind'], string]>([
  ['execute', 'pi ran x without asking.'],
  ['edit', 'pi changed x without asking.'],
  ['delete', 'pi deleted x without asking.'],
  ['move', 'pi moved x without asking.'],
])('says what was done by a call of the kind %s', (kind, sentence) => {
  show([agent('pi', did({ kind, about: 'x' }))]);
  expect(screen.getByRole('status')).toHaveTextContent(sentence);
});

it.each<[string, Unasked | null]>([
  ['asks', null],
  ['was answered for', did({ offered: false })],
  ['acted in another space', did({ spaceId: 'other' })],
])('is not there for an agent that %s', (_, unasked) => {
  show([agent('pi', unasked)]);
  expect(offer()).toBeNull();
});

it('is there for one agent at a time', () => {
  const { store } = show([agent('asks', null), agent('pi', did()), agent('other', did())]);
  expect(screen.getAllByRole('region')).toHaveLength(1);
  expect(offer()).toHaveAccessibleName('Sandbox for pi');
  store.set({ agents: [agent('pi', null), agent('other', did())] });
  return waitFor(() => expect(offer()).toHaveAccessibleName('Sandbox for other'));
});

it('shows the text of an agent as text, with what is hidden in it', () => {
  show([agent('p\u202ei', did({ about: '<b>rm</b> a\u202eb\u0430\nc' }))]);
  expect(offer()?.querySelector('b')).toBeNull();
  expect(offer()?.querySelector('code')).toHaveTextContent(/^<b>rm<\/b> a\S+b\S+c$/);
  expect(offer()?.textContent).not.toMatch(/[\u202e\u0430\n]/);
});

it('turns the sandbox on and leaves the rest of the agent as it is', async () => {
  const { call } = show([agent('pi', did())]);
  expect(document.body).toHaveFocus();
  await userEvent.click(button('Run in a sandbox'));
  expect(call).toHaveBeenCalledExactlyOnceWith('SaveAgent', {
    ...{ id: 'pi', name: 'pi', command: '/bin/pi', args: ['-x'], env: { A: 'b' }, cwd: 'space' },
    ...{
      process: 'perSpace',
      secretEnv: { KEY: { ref: 'file:1' } },
      sandbox: { network: 'allowed' },
      modelProxy: null,
    },
  });
  expect(say).toHaveBeenCalledExactlyOnceWith('pi runs in a sandbox starting with the next prompt.');
  await waitFor(() => expect(offer()).toBeNull());
});

it('is declined by keyboard, which goes on in the composer', async () => {
  const { call } = show([agent('pi', did())]);
  for (const name of ['Before', 'Not now']) {
    await userEvent.tab();
    expect(button(name)).toHaveFocus();
  }
  await userEvent.keyboard('{Enter}');
  expect(call).toHaveBeenCalledExactlyOnceWith('DeclineSandbox', { agentId: 'pi' });
  await waitFor(() => expect(runAction).toHaveBeenCalledExactlyOnceWith('composer.focus'));
});

it('stays, and keeps the keyboard, where the answer was not taken', async () => {
  show([agent('pi', did())], [agent('pi', did())]);
  await userEvent.click(button('Not now'));
  await waitFor(() => expect(say).toHaveBeenCalled());
  expect(button('Not now')).toHaveFocus();
  expect(runAction).not.toHaveBeenCalled();
});

it('says what is missing for a sandbox, and looks again', async () => {
  const problem = 'bubblewrap was not found. Install it.';
  const { call } = show([agent('pi', did({ problem }))], [agent('pi', did())]);
  expect(screen.getByRole('status')).toHaveTextContent(problem);
  expect(screen.queryByRole('button', { name: 'Run in a sandbox' })).toBeNull();
  await userEvent.click(button('Check again'));
  expect(await screen.findByRole('button', { name: 'Run in a sandbox' })).toBeVisible();
  expect(call).not.toHaveBeenCalled();
});

const proxyOffer = () => screen.queryByRole('region', { name: /^Model proxy for/ });

it('offers the model proxy where a message came in one piece', async () => {
  const { call } = show([agent('asks', null), agent('pi', null, { wholeFrom: 's' })]);
  expect(screen.getByRole('status')).toHaveTextContent('A message from pi to a space arrived all at once.');
  await userEvent.click(button('Turn on'));
  expect(call).toHaveBeenCalledExactlyOnceWith(
    'SaveAgent',
    expect.objectContaining({ id: 'pi', modelProxy: {} }),
  );
  await waitFor(() => expect(proxyOffer()).toBeNull());
});

it('declines the model proxy for good', async () => {
  const { call } = show([agent('pi', null, { wholeFrom: 's' })]);
  await userEvent.click(button('Not now'));
  expect(call).toHaveBeenCalledExactlyOnceWith('DeclineModelProxy', { agentId: 'pi' });
});

it('offers the sandbox first, and nothing of what was seen elsewhere', () => {
  const { store } = show([agent('other', null, { wholeFrom: 's' }), agent('pi', did())]);
  expect(screen.getAllByRole('region')).toEqual([offer()]);
  store.set({ agents: [agent('other', null, { wholeFrom: 'elsewhere' })] });
  return waitFor(() => expect(screen.queryByRole('region')).toBeNull());
});
