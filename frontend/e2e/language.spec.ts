import type { Page } from '@playwright/test';
import de from '../src/i18n/de.json' with { type: 'json' };
import en from '../src/i18n/en.json' with { type: 'json' };
import es from '../src/i18n/es.json' with { type: 'json' };
import ja from '../src/i18n/ja.json' with { type: 'json' };
import zh from '../src/i18n/zh.json' with { type: 'json' };
import type { Appearance } from '../src/transport/api';
import { accessible } from './support/axe';
import { cutTexts, pseudo, speakPseudo } from './support/pseudo';
import { edit, finish, stream } from './support/scenes';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

type Language = Appearance['language'];

const others = { de, es, ja, zh };
const look = { theme: 'system', density: 'comfortable', textScale: 100, thoughts: 'in-place' } as const;
const speak = (weft: Weft, language: Language) => weft.call('SaveAppearance', { ...look, language });
const html = (page: Page) => page.locator('html');

test('the language is chosen in the settings, and applies at once', async ({ weft, page, ui }) => {
  await weft.puppet();
  await weft.open(page);
  await ui.openSettings('Appearance');
  const choice = page.locator('#language');
  await choice.focus();
  await choice.selectOption('de');
  await expect(page.getByRole('heading', { name: 'Einstellungen', level: 1 })).toBeVisible();
  await expect(html(page)).toHaveAttribute('lang', 'de');
  await expect(choice).toHaveValue('de');
  await expect(choice).toBeFocused();
  await accessible(page, 'the settings in German', 'all');
  // The palette finds the languages by their own names, and in English.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Language 日本語');
  await expect(page.getByRole('option', { selected: true })).toContainText('日本語');
  await page.keyboard.press('Enter');
  await expect(html(page)).toHaveAttribute('lang', 'ja');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('language zh');
  await page.keyboard.press('Enter');
  await expect(html(page)).toHaveAttribute('lang', 'zh-Hans');
  await speak(weft, 'en');
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('what is painted first is in the language, which is the only one that is loaded', async ({
  weft,
  page,
}) => {
  await weft.puppet();
  await speak(weft, 'ja');
  const loaded: string[] = [];
  page.on('request', (request) => {
    const name = /\/assets\/(de|es|ja|zh)-[\w-]+\.js$/.exec(request.url())?.[1];
    if (name !== undefined) loaded.push(name);
  });
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const root = document.getElementById('root');
      if (root?.firstElementChild != null) seen.push(`${document.documentElement.lang} ${root.textContent}`);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(weft.firstLink());
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect(page.locator('.shell[data-rest="true"]')).toBeAttached();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.length).toBeGreaterThan(0);
  for (const text of seen) {
    expect(text).toMatch(/^ja /);
    expect(text).not.toMatch(/New space|Settings|Search/);
  }
  expect(loaded).toEqual(['ja']);
});

test.describe('a browser that speaks Spanish', () => {
  test.use({ locale: 'es-MX' });
  test('is answered in Spanish, with its dates and numbers', async ({ weft, page }) => {
    await weft.puppet();
    await page.goto(weft.firstLink());
    await expect(html(page)).toHaveAttribute('lang', 'es');
    await expect(page.getByRole('button', { name: 'Configuración', exact: true })).toBeVisible();
  });
});

test('Enter that accepts a word of an input method does not send', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.composer.focus();
  const keys = await page.context().newCDPSession(page);
  await keys.send('Input.imeSetComposition', { text: 'りんご', selectionStart: 3, selectionEnd: 3 });
  await expect(ui.composer).toHaveValue('りんご');
  for (const type of ['rawKeyDown', 'keyUp'] as const)
    await keys.send('Input.dispatchKeyEvent', {
      type,
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 229,
    });
  await keys.send('Input.insertText', { text: '林檎' });
  await expect(ui.composer).toHaveValue('林檎');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.text).toBe('林檎');
  turn.end();
});

const requestedSchema = {
  type: 'object',
  required: ['fruit', 'count'],
  properties: {
    fruit: { type: 'string', title: 'Which fruit', enum: ['apple', 'pear', 'quince'] },
    count: { type: 'integer', title: 'How many', minimum: 1, maximum: 9 },
    sure: { type: 'boolean', title: 'Tell the neighbours', default: true },
  },
};

/** The screens one after the other. Nothing of it reads a word: keys, addresses and classes are the same in all languages. */
async function walk(
  page: Page,
  words: (text: string) => string,
  see: (name: string) => Promise<void>,
): Promise<void> {
  const key = async (keys: string, shows: string) => {
    await page.keyboard.press(keys);
    await expect(page.locator(shows).first()).toBeVisible();
  };
  const rest = async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await expect(page.locator('.request').first()).toBeVisible();
  await see('thread');
  await key('Control+k', '[cmdk-input]');
  await see('palette');
  await rest();
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await see('keyboard');
  await rest();
  for (const [keys, name] of [
    ['Control+Shift+b', 'changes'],
    ['Control+Shift+m', 'members'],
    ['Control+Shift+g', 'outline'],
    ['Control+Shift+l', 'log'],
  ] as const) {
    await page.keyboard.press(keys);
    await expect(page.locator('aside.panel')).toBeVisible();
    await see(name);
    await page.keyboard.press(keys);
    await expect(page.locator('aside.panel')).toHaveCount(0);
  }
  const command = async (title: string) => {
    await page.keyboard.press('Control+k');
    await page.locator('[cmdk-input]').fill(words(title));
    await expect(page.getByRole('option', { selected: true })).toHaveText(words(title));
    await page.keyboard.press('Enter');
    await expect(page.locator('[cmdk-input]')).toHaveCount(0);
  };
  for (const title of [en.action.export, en.action.tag, en.action.import]) {
    await command(title);
    await expect(page.getByRole('dialog')).toBeVisible();
    await see(title);
    await rest();
  }
  await key('Control+j', '.triage');
  await see('inbox');
  await page.keyboard.press('Escape');
  await key('Control+Shift+f', '.searching');
  await see('search');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+,');
  await expect(page.locator('.settings-pane')).toBeVisible();
  for (const section of [
    ...['agents', 'mcp', 'tools', 'calls', 'worktrees', 'import', 'permissions'],
    ...['secrets', 'appearance', 'editor', 'backups', 'about'],
  ]) {
    await page.evaluate((to) => {
      window.location.hash = `#settings/${to}`;
    }, section);
    await expect(page.locator(`.section-link[data-section=${section}]`)).toHaveAttribute(
      'aria-current',
      'page',
    );
    await expect(page.locator('.settings-pane h2:visible').first()).toBeVisible();
    await see(`settings-${section}`);
  }
  await page.keyboard.press('Control+n');
  await expect(page.locator('.settings-pane')).toHaveCount(0);
  await see('new');
  await command(en.action.registry);
  await see('registry');
}

/** The strings of a language by the English ones. */
function stringsOf(language: Exclude<Language, 'system' | 'en'>): Map<string, string> {
  const pairs = (english: object, own: object): [string, string][] =>
    Object.entries(english).flatMap(([key, text]: [string, unknown]) => {
      const other: unknown = (own as Record<string, unknown>)[key];
      if (typeof text === 'string') return typeof other === 'string' ? [[text, other]] : [];
      return pairs(text as object, (other ?? {}) as object);
    });
  return new Map(pairs({ action: en.action }, { action: others[language].action }));
}

/** A space with an agent that has worked, and asks for something. */
async function scene(weft: Weft, page: Page, ui: Screen): Promise<void> {
  const { puppet, space } = await weft.puppet();
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Count the apples' });
  await weft.open(page);
  await ui.send('Why does an empty basket count as one, and can you fix it?');
  const first = await puppet.turn();
  stream(first);
  first.did(edit(weft.project));
  finish(first);
  await ui.idle();
  await ui.send('Then run the tests');
  const turn = await puppet.turn();
  void turn.ask({
    toolCallId: 'run',
    title: 'npm test',
    kind: 'execute',
    rawInput: { command: ['bash', '-lc', 'npm test && rm -rf build'], cwd: weft.project },
  });
  void turn
    .request('elicitation/create', { mode: 'form', message: 'What shall I pick?', requestedSchema })
    .catch(() => {});
  await expect(ui.permissions).toBeVisible();
}

for (const width of [1280, 390])
  test(`no text is cut where it is 1.4 times as long, at ${width} pixels`, async ({ weft, page, ui }) => {
    await speakPseudo(page);
    await scene(weft, page, ui);
    await speak(weft, 'de');
    await expect(html(page)).toHaveAttribute('lang', 'de');
    await page.setViewportSize({ width, height: 844 });
    const faults: string[] = [];
    await walk(page, pseudo, async (name) => {
      await ui.picture(`pseudo-${width}-${name}`);
      faults.push(...(await cutTexts(page)).map((fault) => `${name}: ${fault}`));
    });
    expect([...new Set(faults)].join('\n')).toBe('');
  });

test('the pseudo-language is 1.4 times as long', () => {
  for (const text of ['Cancel', 'Try again', '{{n}} files, {{size}} together.', 'OK']) {
    const long = pseudo(text).replaceAll(/\{\{\w+\}\}/g, '').length;
    expect(long).toBeGreaterThanOrEqual(text.replaceAll(/\{\{\w+\}\}/g, '').length * 1.4);
  }
  expect(pseudo('{{n}}%')).toBe('{{n}}%');
});

if (process.env['WEFT_PICTURES'] !== undefined)
  for (const theme of themes)
    for (const language of ['de', 'es', 'zh', 'ja'] as const)
      test.describe(`pictures in ${theme}`, () => {
        test.use({ colorScheme: theme });
        test(`of the screens in ${language}`, async ({ weft, page, ui }) => {
          await scene(weft, page, ui);
          await speak(weft, language);
          await expect(html(page)).toHaveAttribute('lang', new RegExp(`^${language}`));
          const own = stringsOf(language);
          await walk(
            page,
            (text) => own.get(text) ?? text,
            (name) => ui.picture(`${language}-${theme}-${name}`),
          );
        });
      });
