import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { MarkdownDocument } from '../document';
import { Markdown, MarkdownView } from '../index';
import { Random } from '../testing/random';
import { randomChunks, randomMarkdown } from '../testing/randomMarkdown';

const ignore = () => {};

function manual() {
  const tasks: (() => void)[] = [];
  const document = new MarkdownDocument({
    now: () => 0,
    schedule: (task) => {
      tasks.push(task);
      return ignore;
    },
  });
  return { document, frame: () => tasks.shift()?.() };
}

/** The folds of a finished text with the text in each, ignoring blank lines. */
function places(document: MarkdownDocument): string[] {
  const out: string[] = [];
  let text = '';
  let at = '';
  const end = () => {
    if (text.trim() !== '') out.push(`${at}: ${text.trim()}`);
    text = '';
  };
  for (const block of document.getSnapshot().groups.flatMap(({ blocks }) => blocks)) {
    const within = block.within.join(',');
    if (block.kind !== 'markdown' && block.kind !== 'code') {
      end();
      out.push(`${block.kind} ${block.fold ?? ''} in ${within}`);
      continue;
    }
    if (within !== at) end();
    at = within;
    text += block.open ? '' : block.source;
  }
  end();
  return out;
}

const nested = `Before

<details open>
<summary>Outer **one**</summary>

Within

<details>
<summary>Inner</summary>

Deep

</details>

</details>

After`;

describe('the folds of a text', () => {
  it('are the same in pieces and at once', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const random = new Random(seed);
      const text = randomMarkdown(random, seed % 2 === 0 ? 'folds' : 'both');
      const { document, frame } = manual();
      for (const chunk of randomChunks(random, text)) {
        document.append(chunk);
        if (random.below(2) === 0) frame();
      }
      document.end();
      while (!document.getSnapshot().ended) frame();
      const whole = MarkdownDocument.of(text, { now: () => 0 });
      expect(places(document), `seed ${seed}: ${JSON.stringify(text)}`).toEqual(places(whole));
    }
  });

  it('are nested, open as they say, and opened by the user', async () => {
    render(<Markdown text={nested} onOpenLink={ignore} />);
    const outer = screen.getByRole('button', { name: 'Outer one' });
    expect(outer).toHaveAttribute('aria-expanded', 'true');
    expect(screen.getByText('Within')).toBeVisible();
    expect(screen.queryByText('Deep')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Inner' }));
    expect(screen.getByText('Deep')).toBeVisible();
    outer.focus();
    await userEvent.keyboard('{Enter}');
    expect(screen.queryByText('Within')).toBeNull();
    expect(screen.queryByText('Deep')).toBeNull();
    expect(screen.getByText('After')).toBeVisible();
    // The inner one keeps its state.
    await userEvent.keyboard('{Enter}');
    expect(screen.getByText('Deep')).toBeVisible();
  });

  it('are shut while they are written, and open at the end if nothing closed them', async () => {
    const { document, frame } = manual();
    render(<MarkdownView document={document} onOpenLink={ignore} />);
    const write = (text: string) =>
      act(() => {
        document.append(text);
        frame();
      });
    write('Hello\n\n<details>\n<summary>Mo');
    expect(screen.queryByText(/summary/)).toBeNull();
    write('re</summary>\n\nWritten\n');
    expect(await screen.findByRole('button', { name: 'More' })).toHaveAttribute('aria-expanded', 'false');
    expect(screen.queryByText('Written')).toBeNull();
    write('\nmore and more');
    expect(screen.queryByText('more and more')).toBeNull();
    act(() => {
      document.end();
      frame();
    });
    expect(document.context.folds.isOpen('f0')).toBe(true);
  });

  it('show what is written behind one at once', () => {
    const { document, frame } = manual();
    render(<MarkdownView document={document} onOpenLink={ignore} />);
    act(() => {
      document.append('<details>\n<summary>More</summary>\n\nhidden\n\n</details>\n\nAnd so it goes');
      frame();
    });
    expect(screen.getByText('And so it goes')).toBeVisible();
    expect(screen.queryByText('hidden')).toBeNull();
  });

  it('are named where they have no summary, and drop what acts in one', () => {
    render(
      <Markdown
        text={
          '<details>\n\na\n\n</details>\n\n<details onclick="a()">\n<summary id=x>[b](https://c.test) ![d](https://e.test)</summary>\n</details>'
        }
        onOpenLink={ignore}
      />,
    );
    const [unnamed, named] = screen.getAllByRole('button');
    expect(unnamed).toHaveAccessibleName('Details');
    expect(named).toHaveAccessibleName('b d');
    expect(document.querySelector('a, [onclick], #x')).toBeNull();
  });

  it('leave text alone that closes or opens none', () => {
    render(
      <Markdown
        text={'</details>\n\n<details>text</details>\n\nuse `<details>` or <summary>x</summary>'}
        onOpenLink={ignore}
      />,
    );
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.getByText('</details>')).toBeVisible();
    expect(screen.getByText('<details>text</details>')).toBeVisible();
  });

  it('work in a list, and on one line', async () => {
    const text =
      '- one\n\n  <details>\n  <summary>In a list</summary>\n\n  deep\n\n  </details>\n\n<details><summary>One line</summary>the *rest*</details>';
    const { container } = render(<Markdown text={text} onOpenLink={ignore} />);
    const [first, second] = container.querySelectorAll('details');
    expect(first?.querySelector('summary')).toHaveTextContent('In a list');
    expect(first?.open).toBe(false);
    expect(first).toHaveTextContent('deep');
    expect(second?.querySelector('em')).toHaveTextContent('rest');
    expect(container).not.toHaveTextContent('details>');
  });
});

describe('a text that is shown exactly', () => {
  it('folds nothing', () => {
    render(<Markdown text={nested} exact onOpenLink={ignore} />);
    expect(screen.getByText('Deep')).toBeVisible();
  });
});
