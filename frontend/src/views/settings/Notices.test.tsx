import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { Backend, draw } from '../../queries/app.fixture';
import Notices from './Notices';

const notices = {
  parts: [
    {
      name: 'basket',
      version: '1.2.3',
      kind: 'npm',
      license: 'MIT',
      url: 'https://example.com/basket',
      texts: [1, 0],
    },
    {
      name: 'Go standard library',
      version: '1.26',
      kind: 'go',
      license: 'BSD-3-Clause',
      url: 'https://example.com/go',
      texts: [0, 9],
    },
  ],
  texts: ['Redistribution is permitted. <b>Not markup</b>', 'Permission is granted.\u202e'],
};

function answer(status: number, body: unknown) {
  const fetched = vi.fn(async () => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

afterEach(() => vi.unstubAllGlobals());

it('shows a text when its part is opened, and as text', async () => {
  const fetched = answer(200, notices);
  draw(new Backend({}), <Notices />);
  expect((await screen.findByRole('status')).textContent).toBe('2 components');
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(screen.queryByText(/Permission is granted/)).toBeNull();
  const [basket] = document.querySelectorAll('details');
  await userEvent.click(screen.getByText('basket'));
  if (basket !== undefined) basket.open = true;
  basket?.dispatchEvent(new Event('toggle'));
  const texts = await vi.waitFor(() => {
    const all = [...document.querySelectorAll('pre')].map((pre) => pre.textContent);
    expect(all).toHaveLength(2);
    return all;
  });
  expect(texts[0]).toContain('Permission is granted.');
  expect(texts[1]).toBe('Redistribution is permitted. <b>Not markup</b>');
});

it('filters by name and license', async () => {
  answer(200, notices);
  draw(new Backend({}), <Notices />);
  const field = await screen.findByRole('searchbox', { name: 'Filter by name or license' });
  await userEvent.type(field, 'bsd go');
  expect(screen.getByRole('status').textContent).toBe('1 component');
  expect(screen.queryByText('basket')).toBeNull();
  await userEvent.type(field, ' gpl');
  expect(screen.getByRole('status').textContent).toBe('No components found.');
});

it('says when the build has no notices', async () => {
  answer(404, null);
  draw(new Backend({}), <Notices />);
  expect(await screen.findByText(/doesn't include the notices/)).toBeTruthy();
});

it('offers to try again when the notices can’t be read', async () => {
  answer(500, null);
  draw(new Backend({}), <Notices />);
  expect((await screen.findByRole('alert', {}, { timeout: 10_000 })).textContent).toContain('HTTP 500');
  answer(200, notices);
  await userEvent.click(screen.getByRole('button'));
  expect((await screen.findByRole('status')).textContent).toBe('2 components');
});
