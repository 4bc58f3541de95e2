import { render, screen } from '@testing-library/react';
import { beforeAll, expect, it, vi } from 'vitest';
import { loadMode } from '../../markdown/highlight/languages';
import { Told } from '../diff/Counts';
import { display, draw } from '../displays/displays.fixture';

const input = {
  path: 'src/press.ts',
  oldText: `${'// same\n'.repeat(9)}const litres = 40;\n`,
  newText: `${'// same\n'.repeat(9)}const litres = 55;\nconst crates = "new";\n`,
};
const line = (type: string) => document.querySelector(`.change-line[data-type=${type}]`);
/** Text never waits for its colors. */
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

it('colors the counts that a sentence begins with', () => {
  const { container } = render(<Told text="+14 −3 in main.ts" />);
  expect(container).toHaveTextContent('+14 −3 in main.ts');
  expect(container.querySelector('.diff-added')).toHaveTextContent('+14');
  expect(container.querySelector('.diff-removed')).toHaveTextContent('−3');
});
