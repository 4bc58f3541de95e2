import type { Page } from '@playwright/test';
import de from '../../src/i18n/de.json' with { type: 'json' };
import en from '../../src/i18n/en.json' with { type: 'json' };
import es from '../../src/i18n/es.json' with { type: 'json' };
import ja from '../../src/i18n/ja.json' with { type: 'json' };
import zh from '../../src/i18n/zh.json' with { type: 'json' };
import type { Appearance } from '../../src/transport/api';
import { edit, finish, stream } from './scenes';
import type { Screen } from './screen';
import { expect } from './test';
import type { Weft } from './weft';

// All screens one after the other, for what has to hold on each of them.

export type Language = Appearance['language'];

const others = { de, es, ja, zh };

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
export async function tour(
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
export function stringsOf(language: Exclude<Language, 'system' | 'en'>): Map<string, string> {
  const pairs = (english: object, own: object): [string, string][] =>
    Object.entries(english).flatMap(([key, text]: [string, unknown]) => {
      const other: unknown = (own as Record<string, unknown>)[key];
      if (typeof text === 'string') return typeof other === 'string' ? [[text, other]] : [];
      return pairs(text as object, (other ?? {}) as object);
    });
  return new Map(pairs({ action: en.action }, { action: others[language].action }));
}

/** A space with an agent that has worked, and asks for something. */
export async function scene(weft: Weft, page: Page, ui: Screen): Promise<void> {
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
    .request('elicitation/create', { mode: 'form', message: 'What do I pick?', requestedSchema })
    .catch(() => {});
  await expect(ui.permissions).toBeVisible();
}
