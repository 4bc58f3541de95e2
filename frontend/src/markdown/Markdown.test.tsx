import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Profiler, StrictMode } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { loadMode } from './highlight/languages';
import { Markdown, MarkdownDocument, MarkdownGroupOf, MarkdownView } from './index';
import { MOUNTED_GROUPS } from './Markdown';
import { Random } from './testing/random';
import { randomChunks, randomMarkdown } from './testing/randomMarkdown';

const ignore = () => {};

describe('links', () => {
  test('are handed out, by mouse and by keyboard, and never followed', async () => {
    const open = vi.fn();
    render(<Markdown text="[one](https://a.test/1) [two](mailto:a@b.test)" onOpenLink={open} />);
    const link = screen.getByRole('link', { name: 'one' });
    const followed = vi.fn();
    document.addEventListener('click', (event) => followed(!event.defaultPrevented), { once: true });
    await userEvent.click(link);
    expect(followed).toHaveBeenCalledWith(false);
    screen.getByRole('link', { name: 'two' }).focus();
    await userEvent.keyboard('{Enter}');
    expect(open.mock.calls).toEqual([['https://a.test/1'], ['mailto:a@b.test']]);
  });
});

describe('images', () => {
  test('from elsewhere open outside after a click', async () => {
    const open = vi.fn();
    render(<Markdown text="![cat](https://img.test/cat.png)" onOpenLink={open} />);
    await userEvent.click(screen.getByRole('button', { name: /cat – img.test/ }));
    expect(open).toHaveBeenCalledWith('https://img.test/cat.png');
    expect(screen.queryByRole('img')).toBeNull();
  });

  test('that are part of the text are shown after a click', async () => {
    const open = vi.fn();
    render(<Markdown text="![dot](data:image/gif;base64,R0lGODlhAQABAAAAACw=)" onOpenLink={open} />);
    await userEvent.click(screen.getByRole('button', { name: /dot/ }));
    expect(screen.getByRole('img', { name: 'dot' })).toHaveAttribute(
      'src',
      'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    );
    expect(open).not.toHaveBeenCalled();
  });
});

describe('code', () => {
  test.each(['```js\nlet a = 1;\n```', '- item\n\n  ```js\n  let a = 1;\n  ```'])(
    'is copied as it was written: %j',
    async (text) => {
      const copy = vi.fn();
      render(<Markdown text={text} onOpenLink={ignore} onCopy={copy} />);
      await userEvent.click(screen.getByRole('button', { name: 'Copy' }));
      expect(copy).toHaveBeenCalledWith('let a = 1;\n');
      expect(screen.getByRole('button', { name: 'Copied' })).toBeInTheDocument();
    },
  );

  test('is copied with characters that are shown written out', async () => {
    const copy = vi.fn();
    render(<Markdown text={'```\na\u202eb\n```'} onOpenLink={ignore} onCopy={copy} />);
    await userEvent.click(screen.getByRole('button', { name: 'Copy' }));
    expect(copy).toHaveBeenCalledWith('a\u202eb\n');
  });

  test('gets colour as it streams, and keeps its text', async () => {
    await loadMode('js');
    const markdown = new MarkdownDocument({ schedule: () => ignore });
    const { container } = render(<MarkdownView document={markdown} onOpenLink={ignore} />);
    const stream = (text: string) =>
      act(() => {
        markdown.append(text);
        markdown.flush();
      });
    stream('```js\nconst a = "te');
    const block = container.querySelector('.md-code');
    stream('xt"; // note\nlet');
    expect(container.querySelector('.tok-string')).toHaveTextContent('"text"');
    expect(container.querySelector('code')?.textContent).toBe('const a = "text"; // note\nlet');
    stream(' b;\n```\n\nafter\n');
    act(() => {
      markdown.end();
      markdown.flush();
    });
    expect(container.querySelector('code')?.textContent).toBe('const a = "text"; // note\nlet b;\n');
    // The same DOM nodes from the first character to the end.
    expect(container.querySelector('.md-code')).toBe(block);
  });

  test('above 200 KB stays plain and is shown whole', async () => {
    await loadMode('js');
    const code = 'let a = 1;\n'.repeat(20_000);
    const markdown = new MarkdownDocument({ schedule: () => ignore });
    markdown.append(`\`\`\`js\n${code}\`\`\``);
    markdown.end();
    while (!markdown.getSnapshot().ended) markdown.flush();
    const { container } = render(<MarkdownView document={markdown} onOpenLink={ignore} />);
    await vi.waitFor(() => expect(container.querySelector('code')?.textContent).toBe(code), {
      timeout: 30_000,
    });
    expect(container.querySelectorAll('[class^=tok-]')).toHaveLength(0);
  });
});

describe('streaming', () => {
  test('keeps the nodes of what is already right', () => {
    const { container, rerender } = render(<Markdown text="one **two" streaming onOpenLink={ignore} />);
    const paragraph = container.querySelector('p');
    const strong = container.querySelector('strong');
    rerender(<Markdown text="one **two** three" streaming={false} onOpenLink={ignore} />);
    return vi.waitFor(
      () => {
        expect(container).toHaveTextContent('one two three');
        expect(container.querySelector('p')).toBe(paragraph);
        expect(container.querySelector('strong')).toBe(strong);
      },
      { timeout: 30_000 },
    );
  });

  test('a text that is replaced starts anew', () => {
    const { container, rerender } = render(<Markdown text="first" streaming onOpenLink={ignore} />);
    rerender(<Markdown text="second" onOpenLink={ignore} />);
    expect(container).toHaveTextContent(/^second$/);
  });

  test('works under StrictMode', () => {
    const { container } = render(
      <StrictMode>
        <Markdown text={'# one\n\n```js\nlet a;\n```\n\n- x'} onOpenLink={ignore} />
      </StrictMode>,
    );
    expect(container.querySelectorAll('h3, pre, li')).toHaveLength(3);
  });
});

test('a long text is not mounted as a whole', async () => {
  const text = Array.from({ length: 100 }, (_, i) => `${`word${i} `.repeat(150)}\n\n`).join('');
  const markdown = MarkdownDocument.of(text, { now: () => 0 });
  const { container } = render(<MarkdownView document={markdown} onOpenLink={ignore} />);
  expect(container.querySelectorAll('.md-group')).toHaveLength(MOUNTED_GROUPS);
  await userEvent.click(screen.getByRole('button', { name: 'Show earlier text' }));
  expect(container.querySelectorAll('.md-group')).toHaveLength(2 * MOUNTED_GROUPS);
});

describe('a group that grows', () => {
  const growing = () => {
    const markdown = new MarkdownDocument({ schedule: () => ignore, now: () => 0 });
    const add = (text: string) =>
      act(() => {
        markdown.append(text);
        markdown.flush();
      });
    return { markdown, add };
  };

  test('is rendered by React when a block comes, and not for what is added to one', async () => {
    const { markdown, add } = growing();
    add('One');
    const rendered = vi.fn();
    const group = (
      <Profiler id="group" onRender={rendered}>
        <MarkdownGroupOf document={markdown} of="g0" onOpenLink={ignore} />
      </Profiler>
    );
    const { container } = render(group);
    rendered.mockClear();
    for (const more of [' two', ' **three', ' four**', ' and `five`']) add(more);
    expect(rendered).not.toHaveBeenCalled();
    await vi.waitFor(
      () => expect(container.querySelector('p')).toHaveTextContent('One two three four and five'),
      { timeout: 30_000 },
    );
    expect(container.querySelector('strong')).toHaveTextContent('three four');
    expect(rendered).not.toHaveBeenCalled();
    add('\n\n- six\n');
    expect(rendered).toHaveBeenCalledTimes(1);
    expect(container.querySelectorAll('.md-block')).toHaveLength(2);
  });

  test('shows what was added before it is drawn again for another reason', async () => {
    const { markdown, add } = growing();
    add('<details open>\n<summary>Head</summary>\n\nwithin\n\nagain');
    const { container } = render(<MarkdownGroupOf document={markdown} of="g0" onOpenLink={ignore} />);
    const head = screen.getByRole('button', { name: 'Head' });
    if (head.getAttribute('aria-expanded') === 'true') await userEvent.click(head);
    add(' and more');
    await userEvent.click(head);
    expect(container).toHaveTextContent('again and more');
  });

  test.each(Array.from({ length: 40 }, (_, i) => 31_000 + i))(
    'looks as one that is rendered with each step (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const text = randomMarkdown(random, random.pick(['none', 'math', 'folds', 'both']));
      const { markdown, add } = growing();
      const own = render(
        <StrictMode>
          <MarkdownGroupOf document={markdown} of="g0" onOpenLink={ignore} />
        </StrictMode>,
      );
      for (const chunk of randomChunks(random, text)) add(chunk);
      // Folds that open automatically are reported in a separate task.
      await act(async () => {
        markdown.end();
        markdown.flush();
      });
      const whole = render(<MarkdownGroupOf document={markdown} of="g0" onOpenLink={ignore} />);
      const shape = ({ container }: typeof own) =>
        [...container.querySelectorAll('*')].map(({ tagName, className }) => `${tagName}.${className}`);
      // Formulas and long blocks are drawn asynchronously.
      await vi.waitFor(
        () => {
          expect(own.container.textContent).toBe(whole.container.textContent);
          expect(shape(own)).toEqual(shape(whole));
        },
        { timeout: 30_000 },
      );
    },
  );
});
