// @vitest-environment jsdom
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables are plain text here
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BlockView } from '../blockView';
import { closeMarkup } from '../closeMarkup';
import { OpenFolds } from '../folds/folds';
import { defaultLabels } from '../labels';
import { renderHtml } from '../render';
import { SharedBudget } from '../work';
import { loadMath } from './formulas';
import { checked, draw } from './katex';

/** The formulas of a text as "d:…" and "i:…". */
function formulas(text: string, open = false): string[] {
  const host = document.createElement('div');
  host.innerHTML = renderHtml(text, {}, undefined, open) ?? '';
  return [...host.querySelectorAll<HTMLElement>('.md-math')].map(
    ({ dataset }) => `${dataset['mdDisplay'] === undefined ? 'i' : 'd'}:${dataset['mdTex']}`,
  );
}

describe('formulas in a text', () => {
  it.each([
    ['The area is $\\pi r^2$.', ['i:\\pi r^2']],
    ['($x$), "$y$" and $z$-axis', ['i:x', 'i:y', 'i:z']],
    ['$`a_b`$', ['i:a_b']],
    ['\\(a\\) and \\[b = c\\]', ['i:a', 'd:b = c']],
    ['so $$x$$ is', ['d:x']],
    ['$a*b$ and *em* $c*d$', ['i:a*b', 'i:c*d']],
    ['$a \\$ b$', ['i:a \\$ b']],
    ['$$\na\n+ b\n# c\n$$', ['d:a\n+ b\n# c']],
    ['text\n$$ a\n= b $$\nmore', ['d:a\n= b']],
    ['\\[\na \\\\[2pt]\nb\n\\]', ['d:a \\\\[2pt]\nb']],
    ['\\[ x \\]', ['d:x']],
    ['- item\n\n  $$\n  a\n  $$', ['d:a']],
    ['> $$\n> a\n> $$', ['d:a']],
    ['| a |\n|---|\n| $x$ |', ['i:x']],
    [
      '$[0, 1)$, ${x}_1$ and $f(x) = \\left[1\\right)$.',
      ['i:[0, 1)', 'i:{x}_1', 'i:f(x) = \\left[1\\right)'],
    ],
    ['**$a$** or _$b$_ — “$c$”', ['i:a', 'i:b', 'i:c']],
    ['so $$ a = b $$ and $$\\text{if it is so}$$.', ['d:a = b', 'd:\\text{if it is so}']],
    ['the $n$th and $(i+1)$st of two $p$s', ['i:n', 'i:(i+1)', 'i:p']],
    ['$x$/$y$, $a$→$b$ and $c$=$d$', ['i:x', 'i:y', 'i:a', 'i:b', 'i:c', 'i:d']],
    ['设$x$为实数，函数$f(x)$在\\(y\\)上', ['i:x', 'i:f(x)', 'i:y']],
    ['$x$<br>$y$&nbsp;z <sub>$n$</sub>', ['i:x', 'i:y', 'i:n']],
    ['$\\left]0,1\\right[$ and $\\left.x\\right|_0$', ['i:\\left]0,1\\right[', 'i:\\left.x\\right|_0']],
    [
      '\\(O(n)\\), \\(f(x)\\), \\(n - 1\\), \\(a, b, c\\), \\([0, 1]\\) and the \\(n\\)th',
      ['i:O(n)', 'i:f(x)', 'i:n - 1', 'i:a, b, c', 'i:[0, 1]', 'i:n'],
    ],
    ['gives $$f(x)$$ of $\\int f dx dy$', ['d:f(x)', 'i:\\int f dx dy']],
    ['$5 for $n$ items, $3 for $x^2$', ['i:n', 'i:x^2']],
    ['\\(ab\\), \\(x_1 + y\\) and \\(\\frac{1}{2}\\)', ['i:ab', 'i:x_1 + y', 'i:\\frac{1}{2}']],
  ])('%j', (text, found) => {
    expect(formulas(text)).toEqual(found);
  });

  it.each([
    'It costs $5 and $10.',
    '$5, $10 or $20',
    '$5-$10, $1,000–$2,000 and $3/$4',
    'US$5 and C$6',
    'from $ 5 to $ 6',
    'echo $HOME and $PATH',
    '${A}/${B}',
    '$(pwd)/$(date)',
    '${{ github.sha }}-${{ github.ref }}',
    'Revenue ($) and cost ($)',
    'pid $$, then kill $$',
    'kill $$ && echo $$.',
    'sed "s/\\(foo\\)/\\1/" and \\(foo\\)',
    'grep "\\(a\\|b\\)/\\(c\\)"',
    '\'$\' and \'$\', "$" or "$"',
    '$.a/$.b, $? and $?',
    '$(".a").html($(".b"))',
    '"$@" "$@" and $# $#',
    '/^a]$/, /^b]$/',
    'replace $USER$, $MY_NAME$ and $body$',
    'from $$ to $$, $$ - $$ or $$ and $$',
    'AS $$ select x + 1 as y; $$;',
    '$5 - $10 "foo$" "bar$"',
    '$10 a month, const a$ = b$.pipe()',
    '$10 USD, $ and $/€, €/$',
    '[[ $a =~ ^x$ ]] && echo $b',
    '\\([0-9]*\\)\\.\\([a-z]+\\) and \\(see there\\)',
    '\\[WARNING\\]',
    '$@/$* and ^\\d{3}$|^\\w+$',
    '| $5<br>or 6$ |\n|---|',
    '花了$5和$10，用$符号和$符号',
    '${a} is ${b}',
    '`a`$b`c`$',
    '$HOME/$USER',
    'a$b$c',
    '\\$x\\$',
    '`$x$` and $`x',
    'see \\[1\\] and \\[a link\\](https://a.test)',
    '$x',
    '$$\nnever closed',
    '$$\na\n\nb\n$$',
    '\\[ a',
    '\\( a',
    '    $$\n    code\n    $$',
    '$$$$',
    '$$\n$$',
    '\\( \\)',
    '```\n$$\na\n$$\n```',
  ])('are not in %j', (text) => {
    expect(formulas(text)).toEqual([]);
  });

  it('go from left to right, and say nothing of the way of their text', () => {
    const html = renderHtml('- $a+b<c$ שלום\n\n$$x$$') ?? '';
    expect(html).toContain('<li dir="auto"><span class="md-math" dir="ltr"');
    expect(html).toContain('<div class="md-math" dir="ltr"');
  });

  it('are text while they are not closed', () => {
    const text = '$$\n# a\n- b\n* c';
    expect(formulas(text, true)).toEqual([]);
    const html = renderHtml(closeMarkup(text), {}, undefined, true) ?? '';
    expect(html).toContain('md-math-open');
    expect(html).not.toMatch(/<h3|<ul|<em/);
    expect(closeMarkup('so $a_1 * **b')).toBe('so $a_1 * **b');
    expect(closeMarkup('it costs $5 and **b')).toBe('it costs $5 and **b**');
  });
});

describe('what is drawn', () => {
  it('is checked', () => {
    const host = document.createElement('div');
    host.append(
      draw(
        '\\frac{a}{\\sqrt[3]{b}} \\begin{pmatrix} 1 & 2 \\end{pmatrix} \\color{red}{x} \\overbrace{y}',
        true,
      ),
    );
    expect(host.querySelector('.katex-display math')).not.toBeNull();
    expect(host.querySelector('svg path')).not.toBeNull();
  });

  it.each([
    '<span onclick="a()">x</span>',
    '<span style="background: url(https://evil.test)">x</span>',
    '<span style="position: fixed">x</span>',
    '<a href="https://evil.test">x</a>',
    '<math><maction>x</maction></math>',
    '<math href="https://evil.test"><mi>x</mi></math>',
    '<math><annotation-xml encoding="text/html"><span>x</span></annotation-xml></math>',
    '<svg><a><path d=""></path></a></svg>',
    '<svg><foreignObject><span>x</span></foreignObject></svg>',
    '<svg><path d="" xlink:href="https://evil.test"></path></svg>',
    '<img src="x">',
    '<span><!-- a --></span>',
    '<script>a()</script>',
  ])('is not drawn with %s', (html) => {
    expect(checked(html)).toBeUndefined();
  });

  it.each([
    '\\href{javascript:a()}{x}',
    '\\url{https://evil.test}',
    '\\includegraphics{https://evil.test/a.png}',
    '\\htmlStyle{position:fixed}{x}',
    '\\htmlClass{md-code}{x}',
    '\\htmlId{root}{x}',
    '\\frac{1}{',
    '\\def\\a{\\a\\a}\\a',
    `\\def\\a{${'x'.repeat(600)}}\\a`,
    '{'.repeat(4000),
  ])('refuses %j', (tex) => {
    expect(() => draw(tex, false)).toThrow();
  });

  it('does not know the macros of another formula', () => {
    draw('\\gdef\\mine{x}\\mine', false);
    expect(() => draw('\\mine', false)).toThrow();
  });
});

describe('a block', () => {
  afterEach(() => vi.restoreAllMocks());

  function shown(source: string, kind: 'markdown' | 'code' = 'markdown') {
    const host = document.createElement('div');
    document.body.append(host);
    const context = { references: {}, spare: new SharedBudget(), folds: new OpenFolds(), exact: false };
    const view = new BlockView(host, context, defaultLabels);
    view.show({ key: 'b', open: false, kind, source, within: [] });
    return host;
  }

  it('shows the source, then the formula, and keeps the source for copying', async () => {
    const host = shown('so $x^2$ and $\\begin{x}$');
    expect(host.textContent).toContain('so $x^2$ and $\\begin{x}$');
    await vi.waitFor(() => expect(host.querySelectorAll('[data-md-drawn]')).toHaveLength(2), {
      timeout: 30_000,
    });
    expect(host.querySelector('.md-math-source')?.textContent).toBe('$x^2$');
    const failed = host.querySelector<HTMLElement>('[data-md-drawn=failed]');
    expect(failed?.textContent).toBe('$\\begin{x}$');
    expect(failed?.title).toMatch(/^This formula can't be drawn\. /);
  });

  it('draws a fence of math, and leaves a broken one as code', async () => {
    await loadMath();
    const whole = shown('```math\n\\frac{a}{b}\n```\n', 'code');
    await vi.waitFor(() => expect(whole.querySelector('.katex-display')).not.toBeNull(), { timeout: 30_000 });
    expect(whole.querySelector('.md-code')).toBeNull();
    expect(shown('```math\n\\frac{\n```\n', 'code').querySelector('.md-code code')?.textContent).toBe(
      '\\frac{\n',
    );
  });

  it('draws no more than some hundred formulas', async () => {
    await loadMath();
    const host = shown('$x$ '.repeat(1000));
    await vi.waitFor(() => expect(host.querySelectorAll('.katex').length).toBeGreaterThan(200), {
      timeout: 30_000,
    });
    expect(host.querySelectorAll('.katex').length).toBeLessThanOrEqual(300);
  });
});
