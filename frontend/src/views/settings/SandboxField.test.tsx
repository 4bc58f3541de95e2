import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Sandbox } from '../../transport/api';
import { SandboxField } from './SandboxField';

function show(value: Sandbox | null) {
  const changed = vi.fn<(value: Sandbox | null) => void>();
  const { container } = render(<SandboxField value={value} onChange={changed} />);
  return { changed, container, field: screen.getByRole('combobox', { name: 'Sandbox' }) };
}

it.each<[string, Sandbox | null, string, string]>([
  ['off', null, 'Off', 'Some agents act without asking.'],
  ['on', {}, 'On', ''],
  ['on with a network that is named', { network: 'allowed' }, 'On', ''],
  ['without network', { network: 'blocked' }, 'On, without network', ''],
])('shows a sandbox that is %s, with what it means', (_, value, chosen, says) => {
  const { field } = show(value);
  expect(field).toHaveDisplayValue(chosen);
  expect(field).toHaveAccessibleDescription(expect.stringMatching(/\S/));
  expect(field).toHaveAccessibleDescription(expect.stringContaining(says));
});

it('says something else in each state', () => {
  const values: (Sandbox | null)[] = [null, {}, { network: 'blocked' }];
  const notes = values.map((value) => {
    const { field, container } = show(value);
    const id = field.getAttribute('aria-describedby') ?? '';
    const note = container.querySelector(`[id="${id.split(' ')[0]}"]`)?.textContent;
    container.remove();
    return note;
  });
  expect(new Set(notes).size).toBe(3);
});

it('can be changed, and keeps what else it may write', async () => {
  const writable = ['/cache'];
  const { field, changed } = show({ network: 'allowed', writable });
  await userEvent.selectOptions(field, 'On, without network');
  expect(changed).toHaveBeenLastCalledWith({ network: 'blocked', writable });
  await userEvent.selectOptions(field, 'Off');
  expect(changed).toHaveBeenLastCalledWith(null);
});

it('can be switched on by keyboard', async () => {
  const { field, changed } = show(null);
  await userEvent.tab();
  expect(field).toHaveFocus();
  await userEvent.selectOptions(field, 'On');
  expect(changed).toHaveBeenCalledExactlyOnceWith({ network: 'allowed' });
});

it('says what the agent was seen to do without asking', () => {
  const unasked = {
    kind: 'execute',
    about: 'rm \u202ex',
    spaceId: 's',
    at: 1,
    offered: false,
    problem: '',
  } as const;
  render(<SandboxField value={null} unasked={unasked} onChange={() => {}} />);
  const field = screen.getByRole('combobox', { name: 'Sandbox' });
  expect(field).toHaveAccessibleDescription(expect.stringMatching(/Acted without asking: rm [^\u202e]+x$/));
});
