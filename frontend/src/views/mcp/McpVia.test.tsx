import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { McpTest } from '../../transport/api';
import { type Draft, draftOf, formOf } from './forms';
import { McpVia } from './McpVia';

const found: McpTest['tools'] = [
  { name: 'prune', title: '', description: 'Can prune a tree' },
  { name: 'graft', title: '', description: '' },
];

function Form({
  start,
  found,
  onDraft,
}: {
  start: Draft;
  found: McpTest['tools'] | null;
  onDraft(d: Draft): void;
}) {
  const [draft, setDraft] = useState(start);
  const change = (next: Draft) => {
    setDraft(next);
    onDraft(next);
  };
  return <McpVia draft={draft} found={found} onChange={change} />;
}

it('lets a user choose what Weft offers of a server, once its tools are known', () => {
  const onDraft = vi.fn<(draft: Draft) => void>();
  const last = () => formOf(onDraft.mock.lastCall?.[0] ?? draftOf(null)).server;
  const { unmount } = render(<Form start={draftOf(null)} found={null} onDraft={onDraft} />);
  expect(screen.getByRole('radio', { name: 'Direct' })).toBeChecked();
  expect(screen.queryByRole('list')).toBeNull();
  fireEvent.click(screen.getByRole('radio', { name: 'Through Weft' }));
  expect(last()).toMatchObject({ via: 'gateway', tools: {} });
  expect(screen.getByText('Test the server to choose which tools to offer.')).toBeVisible();
  unmount();

  const start: Draft = { ...draftOf(null), via: 'gateway', tools: { gone: { off: true } } };
  render(<Form start={start} found={found} onDraft={onDraft} />);
  expect(screen.getAllByRole('listitem').map(({ firstChild }) => firstChild?.textContent?.trim())).toEqual([
    'prune Can prune a tree',
    'graft',
    'gone',
  ]);
  const how = (name: string) => screen.getByRole('combobox', { name: `How ${name} is offered` });
  const look = (name: string) => screen.getByRole('combobox', { name: `How calls to ${name} are shown` });
  expect(how('gone')).toHaveDisplayValue('Off');
  expect(look('gone')).toBeDisabled();
  fireEvent.change(how('prune'), { target: { value: 'display' } });
  fireEvent.change(look('prune'), { target: { value: 'minimal' } });
  fireEvent.change(how('graft'), { target: { value: 'off' } });
  fireEvent.change(how('gone'), { target: { value: 'internal' } });
  expect(last().tools).toEqual({ prune: { display: true, visibility: 'minimal' }, graft: { off: true } });
});
