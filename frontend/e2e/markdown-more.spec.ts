import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { Canary } from './support/canary';
import { deep } from './support/deep';
import { diff, type Turn } from './support/puppet';
import { expect, test } from './support/test';

// Folds, formulas and diagrams in answers: while they are written, when they are whole, and where they are hostile.

const FOLD = `Two ways to store the crates.

<details>
<summary>The *long* way</summary>

Line by line:

- apples
- pears

<details>
<summary>And the log</summary>

\`\`\`go
fmt.Println("crates")
\`\`\`

</details>

</details>

After the fold.

`;

const MATH = `A crate costs $5 and two cost $10.

The area is $\\pi r^2$, or \\(2\\pi\\int_0^R r\\,dr\\).

$$
\\int_0^1 x^2 \\, dx
= \\frac{1}{3}
$$

\\[
\\begin{aligned}
a &= b + c \\\\
+ d &= \\sqrt{e}
\\end{aligned}
\\]

\`\`\`math
\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}
\`\`\`

A broken one: $\\frac{1}$ and its neighbor.

`;

const DIAGRAM = `The way of an apple:

\`\`\`mermaid
flowchart LR
  tree[Apple tree] --> crate{Full crate?}
  crate -->|yes| press[Press]
  crate -->|no| tree
  press --> juice[(Juice)]
\`\`\`

`;

declare global {
  interface Window {
    /** What was given to images. */
    weftPictures: Blob[];
  }
}

/** Says a text in small pieces, each with its own update. */
function stream(turn: Turn, text: string, size = 7): void {
  for (let at = 0; at < text.length; at += size) turn.say(text.slice(at, at + size), 'm1');
}

async function themed(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

test.describe('answers', () => {
  test.use({ viewport: { width: 1280, height: 1500 }, colorScheme: 'light' });

  test('fold what an agent folds, by mouse and by key', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('How do we store them?');
    const turn = await puppet.turn();
    const [begin = '', rest = ''] = FOLD.split('- pears');
    stream(turn, begin);
    const long = ui.transcript.getByRole('button', { name: 'The long way' });
    // While it is written it is shut, and stays as the user has it.
    await expect(long).toHaveAttribute('aria-expanded', 'false');
    await expect(ui.text('apples')).toHaveCount(0);
    await long.click();
    await expect(ui.transcript.getByText('apples')).toBeVisible();
    stream(turn, `- pears${rest}`);
    turn.end();
    await ui.idle();
    await expect(long).toHaveAttribute('aria-expanded', 'true');
    await expect(ui.transcript.getByText('After the fold.')).toBeVisible();
    const log = ui.transcript.getByRole('button', { name: 'And the log' });
    await expect(log).toHaveAttribute('aria-expanded', 'false');
    await long.focus();
    await page.keyboard.press('Tab');
    await expect(log).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(ui.transcript.getByText('fmt.Println("crates")')).toBeVisible();
    await ui.picture('markdown-folds-light');
    await accessible(page, 'folds');
    await themed(page, 'dark');
    await ui.picture('markdown-folds-dark');
    await accessible(page, 'folds, dark');
    await long.click();
    await expect(log).toHaveCount(0);
    await expect(ui.transcript.getByText('After the fold.')).toBeVisible();
    await expect(ui.transcript.getByText('details>')).toHaveCount(0);
    await canary.silent('folds');
  });

  test(
    'draw formulas, leave prices alone, and give the source when copied',
    deep,
    async ({ weft, page, ui, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weft.url });
      const { puppet } = await weft.puppet();
      const canary = await Canary.watch(page, weft.url);
      await weft.open(page);
      await ui.send('How large is it?');
      const turn = await puppet.turn();
      stream(turn, 'The area is $\\pi r');
      // A formula that is not closed is text.
      await expect(ui.transcript.getByText('The area is $\\pi r', { exact: true })).toBeVisible();
      await expect(ui.transcript.locator('.katex')).toHaveCount(0);
      stream(turn, `^2$.\n\n${MATH}`);
      turn.end();
      await ui.idle();
      const drawn = ui.transcript.locator('.md-math[data-md-drawn=""]');
      await expect(drawn).toHaveCount(6);
      await expect(ui.transcript.locator('.md-math[data-md-drawn="failed"]')).toHaveText('$\\frac{1}$');
      await expect(ui.transcript.getByText('A crate costs $5 and two cost $10.')).toBeVisible();
      await expect(ui.transcript.locator('.katex-display')).toHaveCount(3);
      expect(await page.evaluate(() => document.fonts.check('16px KaTeX_Math'))).toBe(true);
      await page.evaluate(() => document.fonts.ready);
      await ui.picture('markdown-math-light');
      await accessible(page, 'formulas');
      await themed(page, 'dark');
      await ui.picture('markdown-math-dark');
      await accessible(page, 'formulas, dark');

      await ui.transcript
        .locator('.md-block', { hasText: 'The area is' })
        .last()
        .evaluate((block) => {
          getSelection()?.selectAllChildren(block);
        });
      await page.keyboard.press('Control+c');
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain('The area is $\\pi r^2$, or \\(2\\pi\\int_0^R r\\,dr\\).');
      await canary.silent('formulas');
    },
  );

  test('draw diagrams once they are whole and seen', deep, async ({ weft, page, ui, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weft.url });
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('How does it go?');
    const turn = await puppet.turn();
    const [begin = '', rest = ''] = DIAGRAM.split('crate -->|no|');
    stream(turn, begin);
    const code = ui.transcript.locator('.md-code');
    await expect(code).toContainText('Apple tree');
    await expect(ui.transcript.locator('.md-diagram')).toHaveCount(0);
    stream(turn, `crate -->|no|${rest}\`\`\`mermaid\nflowchart LR\n  A --> [broken\n\`\`\`\n\nDone.\n`);
    turn.end();
    await ui.idle();
    const image = code.first().getByRole('img', { name: 'Diagram: flowchart' });
    await expect(image).toBeVisible();
    expect(
      await image.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth)),
    ).toBeGreaterThan(200);
    await expect(code.nth(1)).toContainText('A --> [broken');
    await expect(code.nth(1).locator('.md-diagram-error')).toHaveText(
      "This diagram can't be drawn. Line 2 has an error.",
    );
    await ui.picture('markdown-diagram-light');
    await accessible(page, 'diagrams');
    const light = await image.getAttribute('src');
    await themed(page, 'dark');
    await expect(image).not.toHaveAttribute('src', light ?? '');
    await image.evaluate((img: HTMLImageElement) => img.decode());
    await ui.picture('markdown-diagram-dark');
    await accessible(page, 'diagrams, dark');

    const source = code.first().getByRole('button', { name: 'Source' });
    await source.focus();
    await page.keyboard.press('Enter');
    await expect(source).toHaveAttribute('aria-pressed', 'true');
    await expect(image).toBeHidden();
    await expect(code.first().locator('pre')).toBeVisible();
    await code.first().getByRole('button', { name: 'Copy' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain('press --> juice[(Juice)]');
    await code.first().getByRole('button', { name: 'Diagram' }).click();
    await expect(image).toBeVisible();
    await canary.silent('diagrams');
  });

  test('keep hostile folds, formulas and diagrams from running and loading anything', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await page.addInitScript(() => {
      window.weftPictures = [];
      const make = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (blob) => {
        if (blob instanceof Blob) window.weftPictures.push(blob);
        return make(blob);
      };
    });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const diagrams = [
      'flowchart LR\n  one[Safe] --> two\n  click one href "javascript:alert(1)"\n  click two call alert(1)',
      'flowchart LR\n  A["<img src=https://evil.test/a.png onerror=alert(1)>"] --> B',
      '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  lifted["<b>bold</b>"] --> B\n  click lifted call alert(1)',
      '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  handler["<b onclick=alert(1)>bold</b>"] --> B',
      '---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n---\nflowchart LR\n  front["<i>x</i>"] --> B',
      'flowchart LR\n  A@{ img: "https://evil.test/pixel.png", label: "x" } --> B',
      'flowchart LR\n  A --> B\n  style A fill:url(https://evil.test/x)',
      '%%{init: {"themeCSS": "*{fill:red} @import \\"https://evil.test/x.css\\";"}}%%\nflowchart LR\n  A --> B',
      'sequenceDiagram\n  participant A\n  link A: x @ javascript:alert(1)\n  A->>A: <foreignObject><p>x</p></foreignObject>',
    ];
    turn.say(diagrams.map((one) => `\`\`\`mermaid\n${one}\n\`\`\`\n\n`).join(''), 'm1');
    turn.say('$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.test/x.png}$ $y$\n\n', 'm1');
    turn.say('<details open ontoggle=alert(1) style="position:fixed">\n', 'm1');
    turn.say(
      '<summary onclick=alert(1)>[s](javascript:alert(1))</summary>\n\n<img src=x onerror=alert(1)>\n\n</details>\n\nEnd.\n',
      'm1',
    );
    turn.end();
    await ui.idle();
    // Each one has become a picture or says why it has not.
    const code = ui.transcript.locator('.md-code');
    await expect(async () => {
      for (const one of await code.all()) {
        await one.scrollIntoViewIfNeeded();
        await expect(one.locator('.md-diagram img, .md-diagram-error')).toHaveCount(1);
      }
    }).toPass();
    const pictures = await page.evaluate(() => Promise.all(window.weftPictures.map((blob) => blob.text())));
    expect(pictures.length).toBeGreaterThan(2);
    for (const svg of pictures) {
      expect(svg).not.toMatch(/<script|foreignObject|javascript:|evil\.test|\son\w+=|<a[\s>]|<image/i);
    }
    await expect(ui.transcript.locator('.md-math[data-md-drawn=""]')).toHaveCount(1);
    await expect(ui.transcript.getByRole('button', { name: '[s](javascript:alert(1))' })).toHaveAttribute(
      'aria-expanded',
      'true',
    );
    await ui.picture('markdown-hostile');
    await canary.silent('hostile');
  });
});

test.describe('the diff of a tool call', () => {
  test.use({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });

  test('has the colors of the language and marks on the words that changed', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('Make the crates larger');
    const turn = await puppet.turn();
    const before = `// The press.\nexport const litres = 40;\n${'export const row = 1;\n'.repeat(12)}export function press() {\n  return "juice";\n}\n`;
    const after = before
      .replace('40;', '55; // more')
      .replace('"juice"', '"cider"')
      .replace('row = 1', 'row = 2');
    turn.did({
      toolCallId: 'e',
      title: 'Edit press.ts',
      kind: 'edit',
      content: [diff(`${weft.project}/press.ts`, before, after)],
    });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    await ui.tool('Edit press.ts').click();
    const shown = ui.transcript.locator('.diff');
    await expect(shown.locator('.change-mark').first()).toBeVisible();
    await expect(shown.locator('.tok-keyword').first()).toBeVisible();
    await expect(shown.locator('.diff-added')).toHaveText('+3');
    await expect(ui.transcript.locator('.tool-note .diff-added')).toHaveText('+3');
    await expect(ui.transcript.locator('.tool-note .diff-removed')).toHaveText('−3');
    await ui.picture('diff-light');
    await accessible(page, 'a diff');
    await themed(page, 'dark');
    await ui.picture('diff-dark');
    await accessible(page, 'a diff, dark');
    await shown.getByRole('button', { name: /unchanged/ }).focus();
    const lines = await shown.locator('.change-line').count();
    await page.keyboard.press('Enter');
    await expect(shown.getByRole('button', { name: /unchanged/ })).toHaveCount(0);
    expect(await shown.locator('.change-line').count()).toBeGreaterThan(lines);
  });
});

test.describe('a narrow and a wide window', () => {
  for (const width of [760, 1720]) {
    test.describe(`${width} px`, () => {
      test.use({ viewport: { width, height: 1400 }, colorScheme: width === 760 ? 'dark' : 'light' });
      test('show all of it within the column', deep, async ({ weft, page, ui }) => {
        const { puppet } = await weft.puppet();
        await weft.open(page);
        await ui.send('All of it, please');
        const turn = await puppet.turn();
        stream(turn, `${FOLD}${MATH}${DIAGRAM}`, 40);
        turn.end();
        await ui.idle();
        await expect(ui.transcript.getByRole('img', { name: 'Diagram: flowchart' })).toBeVisible();
        await ui.picture(`markdown-all-${width}`);
        expect(
          await ui.transcript.evaluate((log) => log.scrollWidth <= log.clientWidth),
          'nothing scrolls sideways',
        ).toBe(true);
        await accessible(page, `at ${width} px`);
      });
    });
  }
});
