import { render, screen } from '@testing-library/react';
import { beforeAll, expect, it, vi } from 'vitest';
import * as blobs from '../../commands/blobs';
import { loadMode } from '../../markdown/highlight/languages';
import { Session } from '../../state/session';
import { Weft, WeftContext } from '../../state/weft';
import type { Transport } from '../../transport/transport';
import { SentenceWithCounts } from '../diff/Counts';
import { display, draw } from '../displays/displays.fixture';
import { type Reading, ReadingContext } from '../transcript/reading';
import { DiffView } from './DiffView';

const input = {
  path: 'src/press.ts',
  oldText: `${'// same\n'.repeat(9)}const litres = 40;\n`,
  newText: `${'// same\n'.repeat(9)}const litres = 55;\nconst crates = "new";\n`,
};
const line = (type: string) => document.querySelector(`.change-line[data-type=${type}]`);
/** Text never waits for highlighting. */
const keyword = () =>
  vi.waitFor(
    () => {
      const found = line('added')?.querySelector('.tok-keyword');
      expect(found).toBeInstanceOf(Element);
      return found;
    },
    { timeout: 30_000 },
  );

beforeAll(async () => {
  await loadMode('ts');
});

it('colors the code and marks the words that changed', async () => {
  draw(display('showDiff', input));
  expect(line('removed')).toHaveTextContent('10−const litres = 40;');
  expect(await keyword()).toHaveTextContent('const');
  expect(line('removed')?.querySelector('.change-mark')).toHaveTextContent('40');
  expect(line('added')?.querySelector('.change-mark')).toHaveTextContent('55');
  expect(document.querySelector('.diff-added')).toHaveTextContent('+2');
  expect(document.querySelector('.diff-removed')).toHaveTextContent('−1');
  expect(screen.getByRole('button', { name: /6 unchanged/ })).toBeVisible();
});

it('takes the language that it is told', async () => {
  draw(display('showDiff', { ...input, path: 'press', language: 'ts' }));
  expect(await keyword()).toHaveTextContent('const');
});

it('makes its path a link once the changed line is known', async () => {
  const { oldText, newText } = input;
  const texts: Record<string, (text: string) => void> = {};
  vi.spyOn(blobs, 'blobText').mockImplementation(
    ({ hash }) => new Promise((resolve) => (texts[hash] = resolve)),
  );
  const ref = (hash: string) => ({ hash, size: 1000 });
  const transport = { kind: 'serve', call: vi.fn() } as unknown as Transport;
  render(
    <WeftContext value={new Weft(transport)}>
      <ReadingContext value={{ session: new Session(transport, 's1') } as Reading}>
        <DiffView content={{ type: 'diff', path: 'src/press.ts', oldRef: ref('old'), newRef: ref('new') }} />
      </ReadingContext>
    </WeftContext>,
  );
  expect(screen.getByText('src/press.ts')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'src/press.ts' })).toBeNull();
  texts['old']?.(oldText);
  texts['new']?.(newText);
  expect(await screen.findByRole('button', { name: 'src/press.ts' })).toHaveAttribute(
    'title',
    expect.stringContaining('src/press.ts:10'),
  );
});

it('colors the counts that a sentence begins with', () => {
  const { container } = render(<SentenceWithCounts text="+14 −3 in main.ts" />);
  expect(container).toHaveTextContent('+14 −3 in main.ts');
  expect(container.querySelector('.diff-added')).toHaveTextContent('+14');
  expect(container.querySelector('.diff-removed')).toHaveTextContent('−3');
});
