import { act, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Weft, WeftContext } from '../../state/weft';
import type { Transport } from '../../transport/transport';
import { Banners } from '../shell/Banners';
import { OwnTools } from './OwnTools';

const problem = (code: string, path: string, line: number, message: string) => ({
  code,
  path,
  line,
  column: 3,
  message,
});

function page(...problems: ReturnType<typeof problem>[]) {
  const weft = new Weft({ kind: 'serve' } as unknown as Transport);
  weft.server.set({ problems });
  render(
    <WeftContext value={weft}>
      <Banners />
      <OwnTools />
    </WeftContext>,
  );
  return weft;
}

it('lists every file with a mistake, and what is ignored, each with its line', () => {
  page(
    problem('tools', '/t/a.json', 3, 'A tool of your own is left out. The name "a b" has to be shorter.'),
    problem('tools', '/t/b.json', 9, 'A tool of your own is left out. This is no JSON.'),
    problem('tool_notice', '/t/showCard.json', 2, "This tool takes the place of Weft's own showCard."),
  );
  const list = screen.getByRole('list', { name: 'Custom tools' });
  expect(list).toHaveTextContent('/t/a.json:3:3');
  expect(list).toHaveTextContent('/t/b.json:9:3');
  expect(list).toHaveTextContent("takes the place of Weft's own showCard. /t/showCard.json:2:3");
  expect(screen.getByRole('status')).toHaveTextContent("Couldn't load 2 custom tools.");
  expect(screen.getByRole('status')).not.toHaveTextContent('showCard');
});

it('says the only mistake in a banner, and no notice', () => {
  page(problem('tools', '/t/a.json', 3, 'Wrong.'), problem('tool_notice', '/t/b.json', 1, 'Ignored.'));
  expect(screen.getByRole('status')).toHaveTextContent('Wrong. /t/a.json:3:3');
  expect(screen.getByRole('status')).not.toHaveTextContent('Ignored.');
});

it('says that there is nothing wrong, and where tools are', () => {
  const weft = page();
  expect(screen.getByRole('region', { name: 'Custom tools' })).toHaveTextContent('No problems found');
  expect(screen.queryByRole('list')).toBeNull();
  act(() =>
    weft.server.set({ about: { ...weft.server.get().about, settingsPath: '/home/me/.config/s.json' } }),
  );
  expect(screen.getByText('/home/me/.config/tools')).toBeVisible();
});

it('leads from a banner to the problem in the settings', () => {
  const weft = page(problem('tools', '/t/a.json', 3, 'Wrong.'));
  screen.getByRole('button', { name: 'Show in settings' }).click();
  expect(weft.shown.get()).toMatchObject({
    screen: 'settings',
    settings: { section: 'tools', at: { row: 'own-tool-/t/a.json:3' } },
  });
  expect(document.getElementById('own-tool-/t/a.json:3')).not.toBeNull();
});
