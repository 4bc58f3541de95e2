import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { draws, ownTool, takesHttp } from './support/gateway';
import { shownMenu } from './support/menu';
import { asking, diff, type Option, yesOrNo } from './support/puppet';
import { answerByKey, armed, clickAnswer, openMenu } from './support/requests';
import { rule } from './support/rules';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

const run = (id: string, command: string) => ({
  toolCallId: id,
  title: command,
  kind: 'execute',
  rawInput: { command },
});

const cardOf = (page: Page, line: string) =>
  page.getByRole('region', { name: `Permission required: ${line}`, exact: true });
/** Opens the sentence that "Always" proposes. */
async function propose(card: Locator, of: 'Allow' | 'Reject'): Promise<Locator> {
  const menu = await openMenu(card, of);
  await clickAnswer(menu, menu.getByRole('menuitem', { name: `Always ${of.toLowerCase()}…` }));
  return card.getByRole('group', { name: `Always ${of.toLowerCase()}` });
}
const permissions = (page: Page) => page.getByRole('region', { name: 'Permissions' });
const ruleRows = (page: Page) => page.getByRole('list', { name: 'Rules' }).getByRole('listitem');

test.describe('a rule', () => {
  test('about a tool of the user’s own is made where it asks, and holds', async ({ weft, page, ui }) => {
    await ownTool(weft, {
      name: 'greet',
      description: 'Greets.',
      inputSchema: { type: 'object', properties: { who: { type: 'string' } } },
      execution: { mode: 'command', command: '/bin/echo', args: ['hello', '{{who}}'] },
    });
    const { puppet } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const first = draws(turn, puppet, 'greet', { who: 'Ann' });
    await expect(ui.permissions).toHaveCount(1);
    await expect(ui.permissions).toContainText('Ann');
    const sentence = await propose(ui.permissions, 'Allow');
    await expect(sentence).toHaveAccessibleName('Always allow the tool greet in this folder');
    await expect(sentence.getByRole('status')).toHaveText('Also answers the current request.');
    await accessible(page, 'the sentence of a rule about a tool');
    await sentence.getByRole('button', { name: 'Customize…' }).click();
    const form = page.getByRole('form', { name: 'Always allow' });
    await expect(form.getByRole('radio', { name: 'This tool' })).toBeChecked();
    await expect(form.getByRole('status')).toHaveText('Also answers the current request.');
    await accessible(page, 'the form of a rule about a tool');
    await ui.picture('rule-form-tool');
    await armed(ui.permissions);
    await form.getByRole('radio', { name: 'This tool' }).press('Enter');
    expect(await first).toEqual({ text: 'hello Ann\n', failed: false });
    await expect(ui.permissions).toHaveCount(0);
    expect(await draws(turn, puppet, 'greet', { who: 'Bea' })).toEqual({
      text: 'hello Bea\n',
      failed: false,
    });
    turn.end();
    await ui.idle();
    await page.getByRole('button', { name: /2 tool calls/ }).click();
    await expect(page.getByText(/the tool\s+greet/).first()).toBeVisible();
    await page.getByRole('button', { name: 'Open rule' }).first().click();
    await expect(ruleRows(page)).toContainText(['Allows the tool greet']);
  });

  test('keeps its buttons in their place when it is known what it answers', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    void turn.ask(run('a', 'git status'));
    await expect(ui.permissions).toHaveCount(1);
    void turn.ask(run('b', 'git status --short'));
    await expect(ui.permissions).toHaveCount(2);
    let know = () => {};
    const known = new Promise<void>((resolve) => {
      know = resolve;
    });
    await page.route('**/CheckPermissionRules', async (route) => {
      await known;
      await route.continue();
    });
    const sentence = await propose(cardOf(page, 'git status'), 'Allow');
    const place = () =>
      sentence.getByRole('button', { name: 'Save' }).evaluate((save) => save.getBoundingClientRect().top);
    const before = await place();
    know();
    await expect(sentence.getByRole('status')).toHaveText('Also answers the current request and 1 other.');
    expect(await place()).toBe(before);
  });

  test('is made on the card by keyboard alone, and answers what waits', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const first = turn.ask(run('a', 'git status'));
    await expect(ui.permissions).toHaveCount(1);
    const second = turn.ask(run('b', 'git status --short'));
    const third = turn.ask(run('c', 'git status; make'));
    await expect(ui.permissions).toHaveCount(3);
    const one = cardOf(page, 'git status');
    // One sentence, by keys alone: the menu, its last item, Customize.
    await answerByKey(page, one, 'Shift+A');
    const menu = page.getByRole('menu');
    await armed(menu);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const sentence = one.getByRole('group', { name: 'Always allow git status in this folder' });
    await expect(sentence).toBeFocused();
    await expect(sentence).toContainText(
      "Applies to safe forms of this command, or to this exact command if Weft doesn't know the program.",
    );
    await expect(sentence.getByRole('status')).toHaveText('Also answers the current request and 1 other.');
    await accessible(page, 'the sentence of a rule');
    await page.keyboard.press('Tab');
    await expect(sentence.getByRole('button', { name: 'Save' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'Always allow' });
    const field = form.getByRole('textbox', { name: 'Command' });
    await expect(field).toBeFocused();
    await expect(field).toHaveValue('git status');
    await expect(form.getByRole('status')).toHaveText('Also answers the current request and 1 other.');
    // What cannot be a rule is said where it is written, and Escape only closes the form.
    await field.fill('git $x');
    await expect(form.getByRole('alert')).toContainText('A rule compares words');
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
    await expect(ui.permissions).toHaveCount(3);
    await expect(one).toBeFocused();
    await propose(one, 'Allow');
    await sentence.getByRole('button', { name: 'Customize…' }).click();
    await expect(field).toHaveValue('git status');
    await expect(form.getByRole('status')).toHaveText('Also answers the current request and 1 other.');
    await accessible(page, 'the form of a rule');
    await ui.picture('rule-form');
    await armed(one);
    await field.press('Enter');
    expect(await first).toBe('yes');
    expect(await second).toBe('yes');
    await expect(ui.permissions).toHaveCount(1);
    await expect(cardOf(page, 'git status; make')).toBeVisible();
    await expect(ui.notices).toContainText('It answered 2 requests.');

    // Rejected for good, and edited on the way.
    const always = await propose(ui.permissions, 'Reject');
    await expect(always).toHaveAccessibleName('Always reject git status and make in this folder');
    await always.getByRole('button', { name: 'Customize…' }).click();
    const rejects = page.getByRole('form', { name: 'Always reject' });
    const fields = rejects.getByRole('textbox', { name: 'Command' });
    await expect(fields).toHaveCount(2);
    await expect(fields.first()).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Tab');
    await expect(fields.nth(1)).toHaveValue('make');
    await armed(ui.permissions);
    await page.keyboard.press('Enter');
    expect(await third).toBe('no');
    await expect(ui.permissions).toHaveCount(0);

    // From now on both answer by themselves, and say so.
    expect(await turn.ask(run('d', 'git status -b'))).toBe('yes');
    expect(await turn.ask(run('e', 'git status && make all'))).toBe('no');
    await expect(ui.transcript).toContainText('Allowed by a rule: the command git status');
    await expect(ui.transcript).toContainText('Rejected by a rule: the command make');
    await ui.picture('rule-decided');
    await accessible(page, 'a call that a rule answered');
    await page.getByRole('button', { name: 'Open rule' }).last().click();
    await expect(page.locator('.rule[data-wanted=true]')).toContainText('Rejects the command make');
    await expect(page.locator('.rule[data-wanted=true]')).toBeInViewport();
    await page.locator('.rule[data-wanted=true]').getByRole('button', { name: 'Delete rule' }).click();
    await permissions(page).getByRole('radio', { name: 'History' }).check();
    await page.getByRole('button', { name: 'Open rule' }).first().click();
    await expect(permissions(page)).toContainText('This rule was deleted.');
    turn.end();
  });

  test('about files is made with the mouse, and holds where it says', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const edit = (id: string, path: string) => ({
      toolCallId: id,
      title: `Edit ${path}`,
      kind: 'edit',
      content: [diff(`${weft.project}/${path}`, 'a\n', 'b\n')],
    });
    const first = turn.ask(edit('a', 'src/apples.js'));
    const sentence = await propose(ui.permissions, 'Allow');
    await expect(sentence).toHaveAccessibleName(
      'Always allow editing files that match src/** in this folder',
    );
    await sentence.getByRole('button', { name: 'Customize…' }).click();
    const form = page.getByRole('form', { name: 'Always allow' });
    await expect(form.getByRole('textbox', { name: 'Files that match' })).toHaveValue('src/**');
    await form.getByRole('combobox', { name: 'Where' }).selectOption({ label: 'This folder: ~/orchard' });
    await form.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'Any agent' });
    await clickAnswer(ui.permissions, form.getByRole('button', { name: 'Always allow' }));
    expect(await first).toBe('yes');
    expect(await turn.ask(edit('b', 'src/main.js'))).toBe('yes');
    const other = turn.ask(edit('c', 'docs/notes.md'));
    await expect(ui.permissions).toHaveAccessibleName(/notes\.md$/);
    await answerByKey(page, ui.permissions, '2');
    expect(await other).toBe('no');
    turn.end();
    await ui.openSettings('Permissions');
    await expect(ruleRows(page)).toContainText('Allows editing files that match');
    await expect(ruleRows(page)).toContainText('in ~/orchard, for any agent · used 2 times');
  });

  test('is added, changed, switched off, deleted and brought back in the settings', async ({
    weft,
    page,
    ui,
  }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.command('Permission rules');
    const part = permissions(page);
    await expect(part).toContainText('No rules yet.');
    await accessible(page, 'settings without rules');
    await part.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a rule' });
    await dialog.getByRole('textbox', { name: 'Command' }).fill('rm; ls');
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('alert')).toContainText('Enter one command, such as git status.');
    await dialog.getByRole('radio', { name: 'Reject' }).check();
    await dialog.getByRole('textbox', { name: 'Command' }).fill('rm');
    await dialog.getByRole('combobox', { name: 'Where' }).selectOption({ label: 'Apples' });
    await accessible(page, 'the dialog of a rule');
    await ui.picture('rule-dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(ruleRows(page)).toContainText('Rejects the command');
    await expect(ruleRows(page)).toContainText('in the space “Apples”, for any agent · not used yet');
    await part.getByRole('button', { name: 'Edit rule' }).click();
    const change = page.getByRole('dialog', { name: 'Edit rule' });
    await change.getByRole('radio', { name: 'Every tool of this kind' }).check();
    await change
      .getByRole('combobox', { name: 'Every tool of this kind' })
      .selectOption({ label: 'delete files' });
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(ruleRows(page)).toContainText('Rejects deleting files');
    await part.getByRole('switch', { name: 'Enabled' }).uncheck();
    await expect(page.locator('.rule')).toHaveAttribute('data-enabled', 'false');
    await part.getByRole('button', { name: 'Delete rule' }).click();
    await expect(part).toContainText('No rules yet.');
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(ruleRows(page)).toContainText('Rejects deleting files');
    const [kept] = (await weft.call('PermissionRules')) ?? [];
    expect(kept).toMatchObject({ effect: 'reject', kind: 'delete', command: '', enabled: false });
  });

  test('stays when a double click deletes the one above it', async ({ weft, page, ui }) => {
    await weft.saveRules(rule({ command: 'git status' }), rule({ command: 'git log' }));
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.openSettings('Permissions');
    await expect(ruleRows(page)).toHaveCount(2);
    const box = await ruleRows(page).first().getByRole('button', { name: 'Delete rule' }).boundingBox();
    await page.mouse.move((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
    await page.mouse.down();
    await page.mouse.up();
    await expect(ruleRows(page)).toHaveCount(1);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await weft.call('PermissionRules')).toHaveLength(1);
    await expect(ruleRows(page)).toHaveCount(1);
  });
});

test.describe('the history', () => {
  test('tells, searches, filters and saves what was decided', deep, async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', { modes: asking });
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Builds' });
    await weft.saveRules(rule({ command: 'git status' }), rule({ effect: 'reject', command: 'rm' }));
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    expect(await turn.ask(run('a', 'git status'))).toBe('yes');
    expect(await turn.ask(run('b', 'rm -rf \u202edliub\nx'))).toBe('no');
    const asked = turn.ask(run('c', '=HYPERLINK("x")'));
    await answerByKey(page, ui.permissions, '1');
    expect(await asked).toBe('yes');
    for (let i = 0; i < 60; i++) await turn.ask(run(`n${i}`, `git status step-${i}`));
    turn.end();
    await ui.idle();
    await ui.command('Permission history');
    const rows = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
    await expect(rows).toHaveCount(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect(rows).toHaveCount(63);
    await expect(rows.last()).toContainText('git status');
    await expect(rows.last()).toContainText('Robin · Builds · by a rule: git status');
    await accessible(page, 'history');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Rejected');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('rm -rf \\u{202e}dliub x');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('All outcomes');
    await page.getByRole('searchbox', { name: 'Search history' }).fill('hyperlink');
    await expect(rows).toHaveText([/by you/]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^weft-permissions-.*\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    await page.getByRole('searchbox', { name: 'Search history' }).fill('nowhere to be found');
    await expect(permissions(page)).toContainText('No matching decisions.');
  });
});

test.describe('a space', () => {
  test('is read-only, and says so', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { modes: asking });
    await weft.saveRules(rule({ kind: 'edit' }), rule({ kind: 'read' }));
    await weft.open(page);
    const menu = page.getByRole('button', { name: /^Permissions: / });
    await expect(menu).toHaveText(/^Follow rules/);
    await menu.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menu')).toContainText('Robin asks before it changes anything.');
    await accessible(page, 'the menu of the mode');
    await ui.picture('mode-menu');
    await shownMenu(page)
      .getByRole('menuitemradio', { name: /^Read-only/ })
      .click();
    await expect(menu).toHaveText(/^Read-only/);
    await ui.send('go');
    const turn = await puppet.turn();
    const edit = { toolCallId: 'a', title: 'Edit it', kind: 'edit', locations: [{ path: 'src/main.js' }] };
    expect(await turn.ask(edit)).toBe('no');
    expect(await turn.ask({ ...edit, toolCallId: 'b', title: 'Read it', kind: 'read' })).toBe('yes');
    expect(await turn.ask(run('c', 'ls'))).toBe('no');
    await expect(ui.transcript).toContainText('Rejected: this space is read-only');
    turn.end();
    await ui.idle();
    await ui.command('Always ask in this space');
    await expect(menu).toHaveText(/^Always ask/);
    await ui.send('again');
    const next = await puppet.turn();
    const asked = next.ask({ ...edit, toolCallId: 'd', title: 'Read it again', kind: 'read' });
    await expect(ui.permissions).toContainText('Read it again');
    // What waits follows the mode that is chosen now.
    await ui.command('Follow rules in this space');
    expect(await asked).toBe('yes');
    next.end();
    await page.reload();
    await expect(menu).toHaveText(/^Follow rules/);
  });
});

test.describe('odd requests', () => {
  const same: Option[] = [
    { optionId: 'x', name: 'Yes', kind: 'allow_once' },
    { optionId: 'x', name: 'No', kind: 'reject_once' },
    { optionId: 'y', name: 'Yes, too', kind: 'allow_once' },
  ];

  test('without options, with equal ones, with hidden characters', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const twice = turn.ask(run('a', 'make\u202e\u200b all\nrm -rf /'), same);
    const shown = ui.permissions;
    await expect(shown).toContainText('make\\u{202e}\\u{200b} all');
    await expect(shown).toHaveAccessibleName('Permission required: make\\u{202e}\\u{200b} all …');
    await expect(shown).toContainText('rm -rf /');
    // Of two ways to allow it none is chosen for the user.
    await expect(shown.getByRole('button')).toHaveText([
      'Allow…',
      'More ways to allow',
      'Reject2',
      'More ways to reject',
    ]);
    const menu = await openMenu(shown, 'Allow');
    await expect(menu.locator('.option')).toHaveText(['Yes1', 'Yes, too3']);
    await page.keyboard.press('Escape');
    await expect(menu).toBeHidden();
    await answerByKey(page, shown, '3');
    expect(await twice).toBe('y');
    const none = turn.ask(run('b', 'make'), []);
    await expect(shown).toContainText('The agent offers no answers to choose from.');
    await expect(shown.getByRole('button')).toHaveText(['Stop the agent']);
    await accessible(page, 'a request without options');
    await clickAnswer(shown, shown.getByRole('button', { name: 'Stop the agent' }));
    expect(await none).toBe('cancelled');
    await ui.idle();
    await ui.group(/./).click();
    await expect(ui.transcript).toContainText('The turn ended before this was answered');
  });

  test('a hundred kilobytes, and a thousand at once', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const long = turn.ask(run('long', `echo ${'word '.repeat(20_000)}`), yesOrNo);
    // Allow waits for what has not been seen, and a rule as well.
    const allows = ui.permissions.getByRole('button', { name: 'Allow', exact: true });
    await expect(allows).toHaveAttribute('aria-disabled', 'true');
    await expect(allows).toHaveAccessibleDescription(/more characters not seen yet$/);
    await answerByKey(page, ui.permissions, '1');
    await expect(ui.permissions.getByRole('status')).toContainText('Scroll to the end to enable Allow.');
    await page.keyboard.press('2');
    expect(await long).toBe('no');
    const all = Array.from({ length: 1000 }, (_, i) => turn.ask(run(`t${i}`, `make step-${i}`)));
    await expect(ui.permissions.first()).toBeVisible();
    await expect.poll(async () => (await weft.call('Bootstrap')).spaces?.[0]?.state).toBe('waiting');
    const sentence = await propose(ui.permissions.first(), 'Reject');
    await sentence.getByRole('button', { name: 'Customize…' }).click();
    const form = page.getByRole('form', { name: 'Always reject' });
    const field = form.getByRole('textbox', { name: 'Command' });
    await expect(field).toHaveValue(/^make step-/);
    await field.fill('make');
    await expect(form.getByRole('status')).toContainText('999 others');
    await armed(ui.permissions.first());
    await field.press('Enter');
    expect(new Set(await Promise.all(all))).toEqual(new Set(['no']));
    turn.end();
    await ui.idle();
  });
});

test('a request that nobody answered says why: the agent went on without it, Weft was killed', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const first = turn.ask(run('b', 'make test'));
  await expect(ui.permissions).toBeVisible();
  turn.change({ toolCallId: 'b', status: 'completed' });
  expect(await first).toBe('cancelled');
  await expect(ui.transcript).toContainText('The agent withdrew the request');
  await expect(ui.permissions).toHaveCount(0);
  turn.say('On with it.');
  void turn.ask(run('a', 'make'));
  await expect(ui.permissions).toBeVisible();
  await weft.stop('SIGKILL');
  await weft.start();
  await weft.open(page);
  await expect(ui.transcript).toContainText('Weft was closed before this was answered');
  await expect(ui.permissions).toHaveCount(0);
});

for (const theme of themes) {
  test.describe(`pictures in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    const see = async (page: Page, ui: Screen, name: string) => {
      await ui.picture(`${theme}-${name}`);
      await accessible(page, name, theme === 'light' ? 'all' : 'colours');
    };

    test('of rules, history, the form and the menu', deep, async ({ weft, page, ui }) => {
      const { puppet, agent, space } = await weft.puppet('Robin', { modes: asking });
      await weft.call('UpdateSpace', { spaceId: space.id, title: 'Count the apples' });
      await weft.saveRules(
        rule({ command: 'git status', agentId: agent.id, scope: 'space', spaceId: space.id }),
      );
      await weft.saveRules(rule({ kind: 'edit', path: 'src/**', scope: 'folder', folder: weft.project }));
      await weft.saveRules(
        rule({ effect: 'reject', command: 'git push' }),
        rule({ kind: 'read', enabled: false }),
      );
      await weft.open(page);
      await ui.send('Have a look, and correct the count');
      const turn = await puppet.turn();
      turn.say('I’ll look at the state of the repository first.');
      await turn.ask(run('1', 'git status --short'));
      turn.change({ toolCallId: '1', status: 'completed' });
      await turn.ask(run('2', 'git push --force'));
      turn.say('Then the tests.');
      void turn.ask(run('3', 'npm run test -- --watch=false 2>&1 | tail -40'));
      await expect(ui.permissions).toBeVisible();
      await see(page, ui, 'request-and-decided');
      const sentence = await propose(ui.permissions, 'Allow');
      await expect(sentence.getByRole('status')).toContainText('Also answers the current request');
      await see(page, ui, 'always-sentence');
      await sentence.getByRole('button', { name: 'Customize…' }).click();
      await expect(page.getByRole('form').getByRole('status')).toContainText(
        'Also answers the current request',
      );
      await see(page, ui, 'always-form');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Permissions: / }).click();
      await expect(page.getByRole('menu')).toBeVisible();
      await see(page, ui, 'mode-menu');
      await page.keyboard.press('Escape');
      await ui.stop.click();
      await ui.idle();
      await ui.command('Permission rules');
      await expect(ruleRows(page)).toHaveCount(4);
      await see(page, ui, 'permission-rules');
      await permissions(page).getByRole('radio', { name: 'History' }).check();
      await expect(page.getByRole('list', { name: 'Decisions' }).getByRole('listitem')).toHaveCount(3);
      await see(page, ui, 'permission-history');
      await page.setViewportSize({ width: 720, height: 800 });
      await ui.picture(`${theme}-permission-history-720`);
    });
  });
}
