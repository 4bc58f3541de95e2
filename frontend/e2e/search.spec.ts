import type { Page, Request } from '@playwright/test';
import { accessible } from './support/axe';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

/** Opens the search over a conversation about apples. */
async function searchApples(weft: Weft, page: Page, ui: Screen) {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Where do the apples grow?');
  const turn = await puppet.turn();
  turn.say('Apples grow on trees.');
  turn.end();
  await ui.idle();
  await page.keyboard.press('Control+Shift+F');
  return { field: page.getByRole('combobox'), total: page.locator('.search-total') };
}

test.describe('the search of all spaces', () => {
  test('finds texts, calls and titles, and goes to them', async ({ weft, page, ui }) => {
    const robin = await weft.puppet('Robin');
    const wren = await weft.puppet('Wren');
    await weft.call('SendPrompt', {
      spaceId: robin.space.id,
      text: 'Why does the Datenbankverbindung fail?',
    });
    const first = await robin.puppet.turn();
    first.say('The connection pool is exhausted: 连接到数据库失败. Call `useEffect(` later.');
    first.tool({
      toolCallId: 'c',
      title: 'Read src/apples.js',
      kind: 'read',
      locations: [{ path: '/orchard/src/apples.js' }],
    });
    first.change({
      toolCallId: 'c',
      status: 'completed',
      rawOutput: 'export const harvest = "granny smith"',
    });
    first.say('Done with it.');
    first.end();
    await weft.call('SendPrompt', { spaceId: wren.space.id, text: 'Plant a hedge' });
    const second = await wren.puppet.turn();
    second.say('The hedge 🌳 has a connection to the apple harvest.');
    second.end();
    await weft.open(page);

    await page.keyboard.press('Control+Shift+f');
    const field = page.getByRole('combobox', { name: 'Search everywhere' });
    const results = page.getByRole('listbox', { name: 'Results' });
    const hits = results.getByRole('option');
    await expect(field).toBeFocused();
    await accessible(page, 'an empty search', 'all');
    await ui.picture('light-search-empty');
    // By the inside of a compound, by Chinese, by code, by its output and by its path.
    for (const [query, snippet] of [
      ['kind:prompt verbindung', /Datenbankverbindung fail/],
      ['数据库', /连接到数据库失败/],
      ['useEffect(', /Call `useEffect\(/],
      ['granny', /granny smith/],
      ['file:apples.js', /apples\.js/],
    ] as const) {
      await field.fill(query);
      await expect(hits).toHaveCount(1);
      await expect(hits).toContainText(snippet);
    }
    await field.fill('connection');
    await expect(hits).toHaveCount(2);
    await expect(results.getByText('Robin', { exact: false }).first()).toBeVisible();
    const preview = page.getByRole('region', { name: 'Preview' });
    await expect(preview.locator('mark').first()).toHaveText('connection');
    await field.press('ArrowDown');
    await expect(hits.nth(1)).toHaveAttribute('aria-selected', 'true');
    await accessible(page, 'a search with results', 'all');
    await ui.picture('light-search');
    // A filter as a chip, which can be taken out.
    await field.fill('kind:call harvest');
    await expect(hits).toHaveCount(1);
    await expect(preview).toContainText('export const harvest');
    await page.getByRole('button', { name: 'Remove the filter kind:call' }).click();
    await expect(field).toHaveValue('harvest');
    await expect(hits).toHaveCount(2);
    await field.fill('-kind:call harvest');
    await expect(hits).toHaveCount(1);
    await expect(preview).not.toContainText('export const harvest');
    await page.getByRole('button', { name: 'Remove the filter -kind:call' }).click();
    await expect(field).toHaveValue('harvest');
    await field.fill('🌳');
    await expect(hits).toHaveCount(1);
    await expect(preview.locator('mark').first()).toHaveText('🌳');
    await field.fill('connection -hedge');
    await expect(hits).toHaveCount(1);
    // What was found is exported.
    await page.getByRole('button', { name: 'Export results' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export 1 message' });
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect(text).toContain('connection pool is exhausted');
    expect(text).not.toContain('hedge');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await field.focus();
    // To the hit, and back to the same results.
    await field.press('Enter');
    await expect(ui.transcript).toContainText('connection pool is exhausted');
    const marked = () =>
      page.evaluate(() => [...(CSS.highlights.get('find-now') ?? [])].map((range) => range.toString()));
    await expect.poll(marked).toEqual(['connection']);
    await page.keyboard.press('Control+Shift+f');
    await expect(field).toHaveValue('connection -hedge');
    await expect(hits).toHaveCount(1);
    await field.fill('nothing-has-this kind:thought');
    await expect(page.getByText('No results found.')).toBeVisible();
    await field.fill('kind:nonsense hedge');
    await expect(page.getByText('There is no kind "nonsense".', { exact: false })).toBeVisible();
    await field.press('Escape');
    await expect(ui.transcript).toBeVisible();
  });

  test('says how many results there are, and survives hostile queries', async ({ weft, page, ui }) => {
    const { field, total } = await searchApples(weft, page, ui);
    for (const query of [
      '"',
      '-',
      '-apples',
      '"unbalanced',
      'NEAR(',
      'a" OR "b',
      '-> => ()',
      '数据"库 -"',
      'kind: space:',
      'x'.repeat(10_000),
      '*',
      '^%_',
    ]) {
      await field.fill(query);
      await field.fill('apples');
      await expect(total).toHaveText('2 results in 1 conversation');
    }
    await field.fill(`${'word '.repeat(2500)}`);
    await expect(page.getByText('The query is too long. Only its beginning was used.')).toBeVisible();
    await field.fill('->');
    await expect(page.getByText('Enter a word to search for.')).toBeVisible();
  });

  test('has the results of what is in the field, also where that was searched for before', async ({
    weft,
    page,
    ui,
  }) => {
    const { field, total } = await searchApples(weft, page, ui);
    await field.fill('apples');
    await expect(total).toHaveText('2 results in 1 conversation');
    // Another search is begun, and its answer comes after it was taken back.
    const ofPears = (request: Request) => request.postData()?.includes('pears') === true;
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/Search', async (route) => {
      if (ofPears(route.request())) await held;
      await route.continue();
    });
    const asked = page.waitForRequest(ofPears);
    await field.fill('pears');
    await asked;
    await field.fill('apples');
    const late = page.waitForResponse((response) => ofPears(response.request()));
    answer();
    await (await late).finished();
    await ui.frames(10);
    await expect(total).toHaveText('2 results in 1 conversation');
  });

  test('is opened from the field of the sidebar with what is typed there', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Here');
    await weft.open(page);
    await ui.sidebar.getByRole('searchbox', { name: 'Search spaces' }).fill('marmalade');
    await ui.sidebar.getByRole('button', { name: /Search all conversations for “marmalade”/ }).click();
    await expect(page.getByRole('combobox', { name: 'Search everywhere' })).toHaveValue('marmalade');
    await expect(page.getByText('No results found.')).toBeVisible();
  });

  test('finds what is streamed while it is streamed', async ({ weft, page }) => {
    const robin = await weft.puppet('Robin');
    await weft.call('SendPrompt', { spaceId: robin.space.id, text: 'go' });
    const turn = await robin.puppet.turn();
    turn.say('The marmalade is');
    await weft.open(page);
    await page.keyboard.press('Control+Shift+f');
    const field = page.getByRole('combobox', { name: 'Search everywhere' });
    const hits = page.getByRole('listbox', { name: 'Results' }).getByRole('option');
    await field.fill('marmalade');
    await expect(hits).toHaveCount(1);
    turn.end();
  });
});
