// @vitest-environment jsdom
import '@testing-library/jest-dom/vitest';
import { afterEach, describe, expect, test } from 'vitest';
import { type Disposable, decorate } from './decorate';
import { defaultLabels } from './labels';
import { fenceOf, renderHtml, toFragment } from './render';
import { xssCorpus } from './testing/xss-corpus';

const TAGS = new Set(
  'P BR HR STRONG EM S CODE PRE A SPAN SUP SUB KBD UL OL LI BLOCKQUOTE H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD DIV SECTION BUTTON DETAILS SUMMARY'.split(
    ' ',
  ),
);
const ATTRIBUTES =
  /^(?:class|title|rel|target|dir|start|href|type|tabindex|role|aria-label|data-md-(?:language|src|host|done|alt|load|copy|tex|display|open)|data-full|style|open)$/;

// Highlighting is asynchronous and must not run after the page is gone.
const views: Disposable[] = [];
afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
});

function render(source: string): HTMLElement {
  const host = document.createElement('div');
  const fragment = toFragment(renderHtml(source) ?? '');
  if (fragment === undefined) throw new Error(`not shown: ${source}`);
  views.push(...decorate(fragment, defaultLabels, true));
  host.append(fragment);
  return host;
}

describe('hostile text', () => {
  test('the corpus is large enough', () => {
    expect(new Set(xssCorpus).size).toBeGreaterThanOrEqual(200);
  });

  test.each(xssCorpus)('%j leaves nothing that acts', (source) => {
    for (const element of render(source).querySelectorAll<HTMLElement>('*')) {
      expect(TAGS).toContain(element.tagName);
      for (const { name, value } of element.attributes) {
        expect(name).toMatch(ATTRIBUTES);
        if (name === 'href') expect(value).toMatch(/^(?:https?|mailto):/);
        // Only our own chunk heights are ever written as style.
        if (name === 'style') expect(value).toMatch(/^--md-lines: \d+;$/);
      }
    }
  });
});

describe('links to files', () => {
  test.each([
    ['[a](file:///w/b.ts:10)', 'file:///w/b.ts:10'],
    ['[a](file:///w/b%20c.ts#L10)', 'file:///w/b c.ts#L10'],
    ['[a](file://localhost/w/b.ts)', 'file://localhost/w/b.ts'],
    ['[a](<file:///C:/w/b.ts>)', 'file:///C:/w/b.ts'],
    ['[a](src/b.ts#L10-L20)', 'src/b.ts#L10-L20'],
  ])('%s names an address and goes nowhere', (source, address) => {
    const host = render(source);
    expect(host.querySelector('a')).toBeNull();
    expect(host.querySelector('.md-dead-link')).toHaveAttribute('title', address);
  });

  test.each([
    '[a](file://host/share/b.ts)',
    '[a](file:////host/share)',
    '![a](file:///w/b.png)',
    '[b ![a](file:///w/b.png)](c)',
    '[a](javascript:b)',
  ])('%s stays text where it is none of this computer, or an image', (source) => {
    expect(
      render(source).querySelector('[title^="file:"], [data-md-src^="file:"], [href^="file:"]'),
    ).toBeNull();
  });
});

describe('HTML that the parser does not write', () => {
  test.each([
    '<p>a</p><script>b</script>',
    '<p onclick="a()">b</p>',
    '<img src="x">',
    '<p style="color: red">a</p>',
    '<a href="javascript:a()">b</a>',
    '<a href="/a">b</a>',
    '<p href="https://a.test">b</p>',
    '<svg><p>a</p></svg>',
    '<math><mi>a</mi></math>',
    '<p id="a">b</p>',
    '<p><!-- a --></p>',
    '<?a?>',
    '<template><p>a</p></template>',
    '<form><p>a</p></form>',
    '<iframe></iframe>',
    '<p is="a-b">c</p>',
  ])('is not shown: %s', (html) => {
    expect(toFragment(html)).toBeUndefined();
  });

  test('passes where all of it is allowed', () => {
    const html =
      '<p class="a" dir="auto">b <a href="https://c.test/" title="d" rel="e" target="_blank">f</a></p>';
    const host = document.createElement('div');
    host.append(toFragment(html) ?? '');
    expect(host.innerHTML).toBe(html);
  });
});

describe('links', () => {
  test('show their full address and cannot reach the page that opens them', () => {
    const link = render('[text](https://a.test/x?y=1#z)').querySelector('a');
    expect(link).toHaveAttribute('href', 'https://a.test/x?y=1#z');
    expect(link).toHaveAttribute('title', 'https://a.test/x?y=1#z');
    expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow');
  });

  test.each(['src/main.go', '#here', '/root', '//host/x', 'ftp://a.test'])(
    '%s is text, not a link',
    (address) => {
      const host = render(`[text](${address})`);
      expect(host.querySelector('a')).toBeNull();
      expect(host).toHaveTextContent('text');
    },
  );

  test('bare addresses need a scheme', () => {
    expect(render('see main.rs and README.md').querySelector('a')).toBeNull();
    expect(render('see https://a.test/x.').querySelector('a')).toHaveAttribute('href', 'https://a.test/x');
  });

  test('look-alike letters in a host are shown in their encoded form', () => {
    expect(render('[bank](https://аpple.com)').querySelector('a')?.title).toContain('xn--');
  });
});

describe('direction controls are written out where they could mislead', () => {
  test.each([
    '`a\u202eb`',
    '```\na\u202eb\n```',
    '    a\u2066b',
    '[a\u202eb](https://a.test)',
    'https://a.test/\u202egpj.exe',
  ])('%j', (source) => {
    expect(render(source).textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test('the language of a fence', () => {
    expect(render('```a\u202eb\nx\n```').textContent).toContain('\\u202e');
  });
});

describe('images', () => {
  test('are a button until a user asks for them', () => {
    const host = render('![a cat](https://img.test/cat.png)');
    expect(host.querySelector('img')).toBeNull();
    expect(host.querySelector('button')).toHaveTextContent('Image: a cat – img.test – Load');
  });

  test('inside a link are the link text', () => {
    const host = render('[![build](https://img.test/b.svg)](https://ci.test)');
    expect(host.querySelector('button')).toBeNull();
    expect(host.querySelector('a')).toHaveTextContent('build');
  });
});

describe('structure', () => {
  test('headings stand below those of the page', () => {
    expect(render('# one\n\n## two').innerHTML).toMatch(/^<h3 .*one.*<h4 .*two/s);
  });

  test('a list keeps its first number', () => {
    expect(render('7. x').querySelector('ol')).toHaveAttribute('start', '7');
  });

  test('tasks have a mark with a name', () => {
    const marks = [...render('- [ ] a\n- [x] b').querySelectorAll('[role=img]')];
    expect(marks.map((mark) => mark.getAttribute('aria-label'))).toEqual(['To do', 'Done']);
  });

  test('tables can be scrolled by keyboard and keep their alignment', () => {
    const host = render('| a | b |\n|--:|---|\n| 1 | 2 |');
    expect(host.querySelector('.md-table')).toHaveAttribute('tabindex', '0');
    expect(host.querySelector('td')).toHaveClass('md-right');
  });

  test('code has its language, a copy button and a body that takes focus', () => {
    const host = render('```go title="x"\nfunc main() {}\n```');
    expect(host.querySelector('.md-code-language')).toHaveTextContent('go');
    expect(host.querySelector('[data-md-copy]')).toHaveTextContent('Copy');
    expect(host.querySelector('pre')).toHaveAttribute('tabindex', '0');
    expect(host.querySelector('code')?.textContent).toBe('func main() {}\n');
  });
});

test('links to places in Weft are links, and end where the sentence continues', () => {
  const host = render('In weft://space/ab12#msg_X.3.1, or [here](weft://space/ab12). Not weft://settings/x.');
  expect([...host.querySelectorAll('a')].map((a) => a.getAttribute('href'))).toEqual([
    'weft://space/ab12#msg_X.3.1',
    'weft://space/ab12',
  ]);
});

describe('tags that agents write', () => {
  const html = (source: string) => renderHtml(source)?.trim();
  test.each([
    ['a<br>b<BR/>c<br />d', '<p>a<br>\nb<br>\nc<br>\nd</p>'],
    ['a<br  />b<Br >c', '<p>a<br>\nb<br>\nc</p>'],
    ['<kbd >K</kbd > and <sub >b</SUB>', '<p><kbd>K</kbd> and <sub>b</sub></p>'],
    ['H<sub>2</sub>O, x<sup>*n*</sup>', '<p>H<sub>2</sub>O, x<sup><em>n</em></sup></p>'],
    ['<kbd>Ctrl</kbd>+<KBD>K</KBD>', '<p><kbd>Ctrl</kbd>+<kbd>K</kbd></p>'],
    ['<sup>a<sup>b</sup></sup>', '<p><sup>a<sup>b</sup></sup></p>'],
    ['*a <sub>b* c</sub>', '<p>*a <sub>b* c</sub></p>'],
    [
      '[a<sub>b</sub>](https://c.d)',
      '<p><a href="https://c.d" title="https://c.d" rel="noopener noreferrer nofollow" target="_blank">a<sub>b</sub></a></p>',
    ],
    // Attributes, and unclosed tags, are text.
    ['<sub class="a">b</sub>', '<p>&lt;sub class=&quot;a&quot;&gt;b&lt;/sub&gt;</p>'],
    ['<br onclick="a()">', '<p>&lt;br onclick=&quot;a()&quot;&gt;</p>'],
    ['a <sub>b', '<p>a &lt;sub&gt;b</p>'],
    ['a</sub> b', '<p>a&lt;/sub&gt; b</p>'],
    ['`<br>`', '<p><code dir="ltr">&lt;br&gt;</code></p>'],
    ['\\<br>', '<p>&lt;br&gt;</p>'],
    ['a <!-- no --> b', '<p>a  b</p>'],
    ['<!-- no -->', ''],
    ['<!-- a\n\n# b\n-->\n\nc', '<p>c</p>'],
    ['<!-- a\n\nb --> c', '<p>c</p>'],
    ['a\n<!-- b -->\nc', '<p>a</p>\n<p>c</p>'],
    ['<!-- a', '<p>&lt;!-- a</p>'],
    // The shortest comments end at once.
    ['<!-->a<!--->b --> c', '<p>ab --&gt; c</p>'],
    [
      '```\n<!-- a -->\n```',
      '<pre class="md-code" data-md-language=""><code>&lt;!-- a --&gt;\n</code></pre>',
    ],
  ])('%j', (source, want) => expect(html(source)).toBe(want));

  test('in the cell of a table', () => {
    expect(html('| a<br>b |\n|---|\n| c<!-- d --> |')).toContain('a<br>\nb');
  });

  test('are text where a text is shown as it was written', () => {
    expect(renderHtml('a<br>b <!-- c -->', {}, undefined, false, true)).toBe(
      '<p>a&lt;br&gt;b &lt;!-- c --&gt;</p>\n',
    );
  });

  test('what is still being written is not shown as a comment that it may become', () => {
    expect(renderHtml('<!-- a\n\nb\n', {}, undefined, true)).toBe('');
  });
});

test('a fence with a language inside of a block of markdown is a block within it', () => {
  const inner = '# A\n```js\nx\n```\nb\n';
  for (const info of ['markdown', 'md', ' Markdown title="a"'])
    expect(fenceOf(`\`\`\`${info}\n${inner}\`\`\`\n`).code).toBe(inner);
  expect(renderHtml(`~~~md\n~~~js\nx\n~~~\n~~~\nafter`)).toContain('<p>after</p>');
  // Only there, and only with a language.
  expect(fenceOf('```text\n```js\nx\n```\n').code).toBe('```js\nx\n');
  expect(fenceOf('```markdown\n```\nx\n').code).toBe('');
  expect(fenceOf('````markdown\n```js\nx\n```\n````\n').code).toBe('```js\nx\n```\n');
});

test('items, cells and quotes go the way of their first strong letter', () => {
  const html = renderHtml('- שלום\n- hello\n\n> אבג\n\n| a | שלום |\n|---|:-:|\n| 1 | x |\n') ?? '';
  expect(html.match(/<li dir="auto">/g)).toHaveLength(2);
  expect(html.match(/<t[hd](?: class="md-center")? dir="auto">/g)).toHaveLength(4);
  expect(html).toContain('<blockquote dir="auto">');
  expect(html).toContain('<table>');
  expect(renderHtml('1. a\n\n   - [ ] ב\n')).toContain('<li class="md-task" dir="auto">');
});

test.each([
  ['עמודה', ' dir="rtl"'],
  ['1. مرحبا', ' dir="rtl"'],
  ['column', ''],
  ['12', ''],
])('the columns of a table that begins with %s', (head, dir) => {
  expect(renderHtml(`| ${head} | 2 |\n|---|---|\n| 1 | 2 |\n\nעברית`)).toContain(`<table${dir}>`);
});
