// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { BlockView } from './blockView';
import { OpenFolds } from './folds/folds';
import { beginFrame, chargeDrawing, chargeFrame } from './frameBudget';
import { defaultLabels } from './labels';
import { SharedBudget } from './work';

function view() {
  const host = document.createElement('div');
  const context = { references: {}, spare: new SharedBudget(), folds: new OpenFolds(), exact: false };
  return { host, block: new BlockView(host, context, defaultLabels) };
}

function finished(source: string) {
  return { key: 'b', open: false, kind: 'markdown', source, within: [] } as const;
}

describe('a finished block', () => {
  it('is shown as plain text where formatting it takes too much work', () => {
    const { host, block } = view();
    const source = '[a]('.repeat(15_000);
    block.show(finished(source));
    expect(host.querySelector('.md-plain')?.textContent).toBe(source);
    expect(host.dataset['mdNote']).toBe(defaultLabels.tooLong);
  });

  it('waits for the next frame where this one has no time left', async () => {
    beginFrame();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    chargeFrame(() => {
      now = 50;
    });
    clock.mockRestore();
    const { host, block } = view();
    const source = `**bold** ${'word '.repeat(1000)}`;
    block.show(finished(source));
    expect(host.querySelector('strong')).toBeNull();
    expect(host.textContent).toBe(source);
    await vi.waitFor(() => expect(host.querySelector('strong')?.textContent).toBe('bold'), {
      timeout: 30_000,
    });
  });
});

describe('a full frame', () => {
  it('leaves every block to the next one', async () => {
    beginFrame();
    chargeDrawing(1e9);
    const { host, block } = view();
    block.show(finished('**bold**'));
    expect(host.childNodes).toHaveLength(0);
    await vi.waitFor(() => expect(host.querySelector('strong')?.textContent).toBe('bold'), {
      timeout: 30_000,
    });
  });
});

describe('an open block', () => {
  it('is shown as plain text where formatting it takes too much work', () => {
    const { host, block } = view();
    const source = '[a]('.repeat(8_000);
    block.show({ key: 'b', open: true, kind: 'markdown', source, within: [] });
    expect(host.querySelector('.md-plain')?.textContent).toBe(source);
  });
});
