// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest';
import { type Disposable, decorate } from './decorate';
import { defaultLabels } from './labels';
import { renderHtml, toFragment } from './render';
import { handleCopy, structureOf, structureText } from './selection';
import { Random } from './testing/random';

const views: Disposable[] = [];
afterEach(() => {
  document.body.replaceChildren();
  // A language that finishes loading after the last test finds nothing to highlight.
  for (const view of views.splice(0)) view.dispose();
});

/** A text as the page renders it. */
function drawn(source: string): HTMLElement {
  const fragment = toFragment(renderHtml(source) ?? '') as DocumentFragment;
  views.push(...decorate(fragment, defaultLabels, true));
  const block = document.createElement('div');
  block.className = 'md-block';
  block.append(fragment);
  document.body.append(block);
  return block;
}

function allOf(node: Node): Range {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range;
}

/** From the start of one text to the end of another. */
function between(root: Node, from: string, to: string): Range {
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    if (node.data.includes(from)) range.setStart(node, node.data.indexOf(from));
    if (node.data.includes(to)) range.setEnd(node, node.data.indexOf(to) + to.length);
  }
  return range;
}

const copied = (source: string) => structureText(structureOf(allOf(drawn(source))));
const htmlOf = (range: Range) => {
  const box = document.createElement('div');
  box.append(structureOf(range));
  return box.innerHTML;
};

describe('the text of a selection', () => {
  it.each([
    ['- one\n- two\n  - inner\n    - deep\n- three'],
    ['3. three\n4. four\n   - inner'],
    ['- [x] done\n- [ ] open\n  - [x] inner'],
    ['> said\n>\n> - one\n> - two\n>\n> > further'],
    ['- one\n\n  more of one\n\n- two'],
    ['Before:\n\n1. first\n2. second\n\nAfter.'],
  ])('keeps markers and indentation: %j', (source) => {
    expect(copied(source)).toBe(source);
  });

  it('keeps the lines of code, and its fence where asked for', () => {
    const source = '- run:\n  ```sh\n  if true; then\n    echo "a  b"\n  fi\n  ```';
    expect(structureText(structureOf(allOf(drawn(source))), true)).toBe(source);
    expect(copied(source)).toBe('- run:\n  if true; then\n    echo "a  b"\n  fi');
  });

  it('numbers the items that are selected as they are drawn', () => {
    const list = drawn('1. one\n2. two\n3. three\n4. four');
    expect(structureText(structureOf(between(list, 'wo', 'thr')))).toBe('2. wo\n3. thr');
    expect(htmlOf(between(list, 'two', 'three'))).toBe('<ol start="2"><li>two</li><li>three</li></ol>');
  });

  it('keeps the mark of a task of which only the text is selected', () => {
    const list = drawn('- [x] one\n- [ ] two\n- [x] three');
    expect(structureText(structureOf(between(list, 'one', 'two')))).toBe('- [x] one\n- [ ] two');
    const loose = drawn('- [x] four\n\n- [ ] five');
    expect(structureText(structureOf(between(loose, 'four', 'five')))).toBe('- [x] four\n\n- [ ] five');
  });

  it('is only the words where they are of one line', () => {
    const list = drawn('> - one word *more of* it\n> - two');
    expect(structureText(structureOf(between(list, 'word', 'more')))).toBe('word more');
    // A click selects a line up to the start of the next one.
    const range = between(list, 'one', 'it');
    range.setEnd(list.querySelectorAll('li')[1] as Element, 0);
    expect(structureText(structureOf(range))).toBe('one word more of it');
  });

  it('has rows of a table, formulas as their source, and images as their description', () => {
    expect(copied('| a | b |\n|---|---|\n| 1 | 2 |\n| | 4 |')).toBe('a\tb\n1\t2\n\t4');
    expect(copied('It is $x^2$, so\n\n$$\ny\n$$\n\n![a picture](https://a.test/b.png)')).toBe(
      'It is $x^2$, so\n\n$$\ny\n$$\n\na picture',
    );
  });

  it('keeps what is selected of a table in its rows and columns', () => {
    const table = drawn('| aa | bb |\n|---|---|\n| cc | dd<br>more |\n| ee | ff |');
    expect(structureText(structureOf(allOf(table)))).toBe('aa\tbb\ncc\tdd more\nee\tff');
    expect(structureText(structureOf(between(table, 'dd', 'ee')))).toBe('\tdd more\nee');
    expect(htmlOf(between(table, 'more', 'ee'))).toBe(
      '<table><tbody><tr><td></td><td>more</td></tr><tr><td>ee</td></tr></tbody></table>',
    );
    expect(structureText(structureOf(between(table, 'cc', 'dd')))).toBe('cc\tdd');
    expect(structureText(structureOf(between(table, 'ff', 'ff')))).toBe('ff');
  });

  it('keeps what is folded away, hidden and said to screen readers out', () => {
    const page = document.createElement('div');
    page.innerHTML =
      '<p>a <span style="display:none">b</span><span style="visibility:hidden">c</span>' +
      '<span style="-webkit-user-select:none">d</span> e</p><details><summary>f</summary><p>g</p></details><textarea>h</textarea>';
    document.body.append(page);
    expect(structureText(structureOf(allOf(page)))).toBe('a e\n\nf');
  });

  it('keeps the lines and spaces of text that is drawn as it is', () => {
    const page = document.createElement('div');
    page.style.whiteSpace = 'pre-wrap';
    page.textContent = 'if a:\n    b\n\nc';
    document.body.append(page);
    expect(structureText(structureOf(allOf(page)))).toBe('if a:\n    b\n\nc');
    expect(htmlOf(allOf(page))).toBe('<div>if a:<br>    b<br><br>c</div>');
  });
});

it('writes HTML that has only structure, also beside a formula', () => {
  const block = drawn(
    '# Title\n\nSome **bold** `code` in $x$ and [a link](https://a.test).\n\n- [x] done\n\n```go\nx := 1\n```\n\n> said',
  );
  block.style.color = 'white';
  block.style.background = 'black';
  const html = htmlOf(allOf(block));
  expect(html).toBe(
    '<div><h1>Title</h1><p>Some <strong>bold</strong> <code>code</code> in $x$ and <a href="https://a.test">a link</a>.</p>' +
      '<ul><li>[x] done</li></ul><pre><code class="language-go">x := 1</code></pre><blockquote><p>said</p></blockquote></div>',
  );
});

it('puts both forms on the clipboard, and leaves fields alone', () => {
  const stop = handleCopy();
  const block = drawn('- one\n- two');
  document.body.append(document.createElement('textarea'));
  getSelection()?.selectAllChildren(block);
  const copy = (target: Element) => {
    const put = new Map<string, string>();
    const event = new Event('copy', { bubbles: true, cancelable: true });
    Object.assign(event, { clipboardData: { setData: (type: string, data: string) => put.set(type, data) } });
    target.dispatchEvent(event);
    return { put, taken: event.defaultPrevented };
  };
  const { put, taken } = copy(block);
  expect(taken).toBe(true);
  expect(put.get('text/plain')).toBe('- one\n- two');
  expect(put.get('text/html')).toBe('<div><ul><li>one</li><li>two</li></ul></div>');
  expect(copy(document.querySelector('textarea') as Element).taken).toBe(false);
  stop();
  expect(copy(block).taken).toBe(false);
});

describe('a random text', () => {
  const words = ['word', 'two words', 'x', '日本', 'ένα', 'a  b'];
  function blocks(random: Random, depth: number, tight: boolean): string[] {
    const made: string[] = [];
    const most = 1 + random.below(3);
    // The first node of an item must be text: an empty item has no line for its marker.
    for (let i = 0; i < most; i++) {
      const kind = i % 2 === 0 || depth === 0 ? 0 : 1 + random.below(4);
      if (kind === 0) {
        if (tight && i > 0) break;
        made.push(random.pick(words));
      } else if (kind === 1) made.push(list(random, depth - 1));
      else if (kind === 2) made.push(indented(blocks(random, depth - 1, false).join('\n\n'), '> ', '> '));
      else made.push(`\`\`\`${random.pick(['', 'go', 'sh'])}\nif a\n\n    b  c\n\`\`\``);
    }
    return made;
  }
  function list(random: Random, depth: number): string {
    const tight = random.below(2) === 0;
    let number = random.below(2) === 0 ? undefined : 1;
    const items = Array.from({ length: 1 + random.below(3) }, () => {
      const marker = number === undefined ? random.pick(['- ', '- [x] ', '- [ ] ']) : `${number++}. `;
      const indent = number === undefined ? 2 : marker.length;
      const own = blocks(random, Math.max(depth, 0), tight);
      return indented(own.join(tight ? '\n' : '\n\n'), marker, ' '.repeat(indent));
    });
    return items.join(tight ? '\n' : '\n\n');
  }
  function indented(text: string, first: string, further: string): string {
    return text
      .split('\n')
      .map((line, at) => (at === 0 ? first : line === '' ? further.trimEnd() : further) + line)
      .join('\n');
  }

  // In batches, because a test may take a minute and the machine may be busy.
  it.each([0, 1, 2, 3, 4])('has the same structure once its copy is drawn (part %i)', (part) => {
    for (let seed = 20 * part + 1; seed <= 20 * (part + 1); seed++) {
      const source = blocks(new Random(seed), 3, false).join('\n\n');
      const first = drawn(source);
      const text = structureText(structureOf(allOf(first)), true);
      expect(htmlOf(allOf(drawn(text))), `seed ${seed}:\n${source}\n=>\n${text}`).toBe(htmlOf(allOf(first)));
      document.body.replaceChildren();
    }
  });
});
