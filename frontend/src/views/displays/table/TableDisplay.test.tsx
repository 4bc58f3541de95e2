import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { TableDisplay } from './TableDisplay';

const cells = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent);

const input = { title: 'Numbers', rows: [{ n: 3 }, { n: 1 }, { n: 2 }] };

describe('TableDisplay', () => {
  it('sorts by its headers, up, down, and as it came', async () => {
    const user = userEvent.setup();
    render(<TableDisplay input={input} writing={false} />);
    const header = screen.getByRole('columnheader');
    const button = within(header).getByRole('button');
    button.focus();
    const states: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await user.keyboard('{Enter}');
      states.push([header.getAttribute('aria-sort'), cells().join('')]);
    }
    expect(states).toEqual([
      ['ascending', '123'],
      ['descending', '321'],
      ['none', '312'],
    ]);
  });

  it('says how many rows match, and when none does', async () => {
    const user = userEvent.setup();
    const rows = Array.from({ length: 9 }, (_, i) => ({ n: `row ${i + 1}` }));
    const { rerender } = render(<TableDisplay input={{ rows }} writing={false} />);
    await user.type(screen.getByRole('searchbox'), '2');
    expect(await screen.findByText('1 of 9 rows')).toBeVisible();
    await user.type(screen.getByRole('searchbox'), '9');
    expect(await screen.findByText('No rows match “29”.')).toBeVisible();
    // The filter field doesn't disappear while it is in use; for few rows, it was never there.
    rerender(<TableDisplay input={input} writing={false} />);
    expect(screen.getByRole('searchbox')).toHaveValue('29');
    await user.clear(screen.getByRole('searchbox'));
    expect(screen.queryByRole('searchbox')).toBeNull();
  });

  it('leaves sorted rows where they are while more come in, and sorts those on request', async () => {
    const user = userEvent.setup();
    const rows = [{ n: 3 }, { n: 1 }, { n: 2 }];
    const { rerender } = render(<TableDisplay input={{ rows }} writing />);
    await user.click(screen.getByRole('button', { name: 'n' }));
    // The last row may be incomplete.
    expect(cells().join('')).toBe('132');
    rerender(<TableDisplay input={{ rows: [...rows, { n: 0 }] }} writing />);
    expect(cells().join('')).toBe('1320');
    rerender(<TableDisplay input={{ rows: [...rows, { n: 0 }] }} writing={false} />);
    await user.click(screen.getByRole('button', { name: /sort again/ }));
    expect(cells().join('')).toBe('0123');
  });

  it.each([
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { rows: 'no' },
    { rows: {} },
    { columns: 'no', rows: [null, 1, 'x', [], [[]]] },
    { columns: [{}, { key: {} }], rows: [{ a: { b: {} } }] },
    { title: {}, columns: [{ key: 'a', type: 'evil', align: 'evil', label: 7 }], rows: [{ a: 1 }] },
  ])('draws %j', (hostile) => {
    const { container, rerender } = render(<TableDisplay input={hostile} writing />);
    rerender(<TableDisplay input={hostile} writing={false} />);
    expect(container.querySelector('figure')).not.toBeNull();
  });
});
