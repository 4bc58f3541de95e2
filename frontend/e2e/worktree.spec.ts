import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { makeProject } from './support/project';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

const run = promisify(execFile);

async function git(folder: string, ...args: string[]): Promise<string> {
  const named = [
    '-c',
    'user.name=Robin',
    '-c',
    'user.email=robin@example.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  return (await run('git', [...named, ...args], { cwd: folder })).stdout.trim();
}

/** Makes the project a repository with one commit, and a change that is not in it. */
async function repository(weft: Weft): Promise<string> {
  await makeProject(weft.project);
  await writeFile(join(weft.project, '.gitignore'), '*.log\n');
  await git(weft.project, 'init', '-q', '-b', 'main');
  await git(weft.project, 'add', '-A');
  await git(weft.project, 'commit', '-q', '-m', 'Count apples');
  await writeFile(join(weft.project, 'README.md'), 'mine\n');
  return weft.project;
}

/** Makes a space in a worktree, through the API. */
async function inTree(weft: Weft, title: string) {
  return weft.call('CreateSpace', {
    agentId: 'guide',
    folder: weft.project,
    title,
    worktree: { branch: '', folder: '' },
  });
}

const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Worktree', exact: true });

test.describe('a worktree of its own', () => {
  test('is offered in a repository, made, shown, and removed', async ({ weft, page, ui }) => {
    const project = await repository(weft);
    await weft.space('guide', 'Before'); // so that its folder is proposed
    await weft.open(page);
    await page.keyboard.press('Control+n');
    const want = page.getByRole('checkbox', { name: 'Use a new worktree' });
    await expect(want).toBeVisible();
    await page.getByRole('textbox', { name: 'First prompt' }).fill('Count the pears, too');
    await want.check();
    const branch = page.getByRole('textbox', { name: 'New branch' });
    await expect(branch).toHaveValue('weft/count-the-pears-too');
    await expect(page.getByText('Count apples')).toBeVisible();
    await expect(page.getByText('1 changed file stays where it is')).toBeVisible();
    await accessible(page, 'a new space in a worktree');
    await ui.picture('worktree-new');

    // What is wrong is said where it was chosen.
    await branch.fill('main');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('alert')).toContainText('The branch main already exists');
    await branch.fill('pears');
    await page.getByRole('button', { name: 'Send' }).click();
    const button = page.getByRole('button', { name: 'Worktree pears' });
    await expect(button).toBeVisible();
    await ui.idle();
    expect(await git(project, 'worktree', 'list', '--porcelain')).toContain('branch refs/heads/pears');

    await button.click();
    const dialog = dialogOf(page);
    await expect(dialog).toContainText('No unsaved work');
    await accessible(page, 'a clean worktree');
    await ui.picture('worktree-clean');
    const path = (await weft.call('Worktrees'))?.[0]?.path ?? '';
    await dialog.getByRole('checkbox', { name: /^Also delete the branch pears/ }).uncheck();
    await dialog.getByRole('button', { name: 'Remove worktree' }).click();
    await expect(dialog).toBeHidden();
    await expect(button).toBeHidden();
    expect(await there(path)).toBe(false);
    expect(await git(project, 'branch', '--list', 'pears')).toContain('pears');
    expect(await git(project, 'status', '--porcelain')).toBe('M README.md');
  });

  test('with unsaved work goes only after that was shown, twice', deep, async ({ weft, page, ui }) => {
    await repository(weft);
    const space = await inTree(weft, 'Pears');
    const path = space.worktree?.path ?? '';
    await writeFile(join(path, 'new pear.txt'), 'precious');
    await writeFile(join(path, 'src/apples.js'), 'changed');
    await writeFile(join(path, 'noise.log'), 'ignored');
    await weft.open(page);
    await page.getByRole('button', { name: 'Worktree weft/pears' }).click();
    const dialog = dialogOf(page);
    const unsaved = dialog.getByRole('region', { name: 'Unsaved work' });
    await expect(unsaved.getByRole('list', { name: '1 untracked file' })).toHaveText('new pear.txt');
    await expect(unsaved.getByRole('list', { name: '1 uncommitted file' })).toHaveText('src/apples.js');
    await expect(dialog.getByRole('list', { name: /^1 ignored file/ })).toHaveText('noise.log');
    await expect(dialog.getByRole('button', { name: 'Remove worktree' })).toBeHidden();
    await accessible(page, 'a worktree with unsaved work');
    await ui.picture('worktree-unsaved');
    await dialog.getByRole('button', { name: 'Remove anyway…' }).click();
    await expect(dialog).toContainText('deleted permanently');

    // What comes meanwhile was not shown, so it stays and is shown.
    await writeFile(join(path, 'late.txt'), 'precious');
    await dialog.getByRole('button', { name: 'Delete everything' }).click();
    await expect(dialog.getByRole('alert')).toContainText('has changed since it was shown');
    await expect(dialog.getByRole('list', { name: '2 untracked files' })).toContainText('late.txt');
    expect(await readFile(join(path, 'late.txt'), 'utf8')).toBe('precious');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await expect(dialog).toBeHidden();
    expect(await there(path)).toBe(true);

    await page.getByRole('button', { name: 'Worktree weft/pears' }).click();
    await dialog.getByRole('button', { name: 'Remove anyway…' }).click();
    await dialog.getByRole('button', { name: 'Delete everything' }).click();
    await expect(dialog).toBeHidden();
    expect(await there(path)).toBe(false);
  });

  test('is asked about when its space goes, and can be tidied up later', deep, async ({ weft, page, ui }) => {
    const project = await repository(weft);
    const pears = await inTree(weft, 'Pears');
    const plums = await inTree(weft, 'Plums');
    await git(plums.worktree?.path ?? '', 'commit', '-q', '--allow-empty', '-m', 'Plums');
    await weft.open(page);
    const row = (name: string) => ui.spaces.getByRole('listitem').filter({ hasText: name });
    const dialog = dialogOf(page);

    await row('Pears').hover();
    await page.getByRole('button', { name: 'Actions for Pears' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Delete' }).click();
    await expect(dialog).toContainText('“Pears” has its own worktree');
    await dialog.getByRole('button', { name: 'Delete, keep the worktree' }).click();
    await expect(dialog).toBeHidden();
    await expect(row('Pears')).toHaveCount(0);
    expect(await there(pears.worktree?.path ?? '')).toBe(true);

    await row('Plums').hover();
    await page.getByRole('button', { name: 'Actions for Plums' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Archive' }).click();
    await expect(dialog).toContainText("The branch is kept: 1 commit isn't on main");
    await dialog.getByRole('button', { name: 'Remove and archive' }).click();
    await expect(dialog).toBeHidden();
    await expect(row('Plums')).toHaveCount(0);
    expect(await there(plums.worktree?.path ?? '')).toBe(false);
    expect(await git(project, 'log', '-1', '--format=%s', 'weft/plums')).toBe('Plums');

    await ui.openSettings('Worktrees');
    const list = page.getByRole('list', { name: 'Worktrees' });
    await expect(list.getByRole('listitem')).toContainText('space deleted');
    await accessible(page, 'worktrees in the settings');
    await ui.picture('worktree-settings');
    await list.getByRole('button', { name: 'Show weft/pears' }).click();
    await dialog.getByRole('button', { name: 'Remove worktree' }).click();
    await expect(dialog).toBeHidden();
    await expect(list).toHaveCount(0);
    expect(await git(project, 'branch', '--list', 'weft/pears')).toBe('');
  });

  test(
    'shows the commands of a repository and runs its filters only where allowed',
    deep,
    async ({ weft, page, ui }) => {
      const project = await repository(weft);
      const mark = join(weft.project, '..', 'ran');
      await writeFile(join(project, '.gitattributes'), '*.js filter=loud\n');
      await git(project, 'add', '.gitattributes');
      await git(project, 'commit', '-q', '-m', 'Filter scripts');
      const before = await readFile(join(project, 'src/apples.js'), 'utf8');
      await git(project, 'config', 'filter.loud.smudge', `touch '${mark}'; tr a-z A-Z`);
      await git(project, 'config', 'core.fsmonitor', `touch '${mark}'`);
      await writeFile(join(project, 'src/apples.js'), before); // so that its filter would run in a look
      await weft.space('guide', 'Before');
      await weft.open(page);

      const begin = async (branch: string) => {
        await page.keyboard.press('Control+n');
        await page.getByRole('textbox', { name: 'First prompt' }).fill('hello');
        await page.getByRole('checkbox', { name: 'Use a new worktree' }).check();
        const name = page.getByRole('textbox', { name: 'New branch' });
        await expect(name).toHaveValue('weft/hello'); // what is proposed comes a moment later
        await name.fill(branch);
      };
      const create = async (branch: string) => {
        await page.getByRole('button', { name: 'Send' }).click();
        await expect(page.getByRole('button', { name: `Worktree ${branch}` })).toBeVisible();
        await ui.idle();
        const trees = await weft.call('Worktrees');
        const path = trees?.find((tree) => tree.branch === branch)?.path ?? '';
        return readFile(join(path, 'src/apples.js'), 'utf8');
      };

      await begin('plain');
      const commands = page.getByRole('region', { name: 'Repository commands' });
      await expect(commands.getByRole('listitem')).toHaveCount(2);
      await expect(commands.getByRole('listitem').first()).toContainText('filter.loud.smudge');
      await expect(commands.getByRole('listitem').first()).toContainText('tr a-z A-Z');
      await expect(commands.getByRole('listitem').nth(1)).toContainText('core.fsmonitor');
      await expect(commands.getByRole('radio', { name: 'Create without filters' })).toBeChecked();
      await commands.scrollIntoViewIfNeeded();
      await accessible(page, 'the commands of a repository');
      await ui.picture('worktree-commands');
      expect(await there(mark)).toBe(false);
      expect(await create('plain')).toBe(before);
      expect(await there(mark)).toBe(false);

      // It is asked once; the answer can be changed.
      await begin('loud');
      await expect(page.getByText("configuration don't run when Weft creates a worktree")).toBeVisible();
      await expect(commands).toHaveCount(0);
      await page.getByRole('button', { name: 'Review commands' }).click();
      await commands.getByRole('radio', { name: 'Run filters' }).check();
      expect(await create('loud')).toBe(before.toUpperCase());

      // Other commands are another question.
      await git(project, 'config', 'filter.loud.smudge', 'cat');
      await begin('other');
      await expect(commands.getByRole('radio', { name: 'Create without filters' })).toBeChecked();
    },
  );

  test('by keys alone, also one whose folder is gone', deep, async ({ weft, page, ui }) => {
    await repository(weft);
    const pears = await inTree(weft, 'Pears');
    await rm(pears.worktree?.path ?? '', { recursive: true });
    await weft.open(page);
    await expect(page.getByRole('button', { name: 'Worktree weft/pears' })).toBeVisible();
    await ui.command("Show this space's worktree");
    const dialog = dialogOf(page);
    await expect(dialog).toContainText('The folder was deleted');
    const remove = dialog.getByRole('button', { name: 'Remove worktree' });
    await expect(remove).toBeVisible();
    for (let i = 0; i < 8 && !(await remove.evaluate((e) => e === document.activeElement)); i++) {
      await page.keyboard.press('Tab');
    }
    await expect(remove).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    expect((await weft.call('OpenSpace', { spaceId: pears.id })).space.folder).toBe(weft.project);
  });

  test(
    'is not offered outside of a repository, and says why where it cannot be',
    deep,
    async ({ weft, page }) => {
      await mkdir(weft.project, { recursive: true });
      await weft.space('guide', 'Before');
      await weft.open(page);
      await page.keyboard.press('Control+n');
      await page.getByRole('textbox', { name: 'First prompt' }).fill('x');
      const want = page.getByRole('checkbox', { name: 'Use a new worktree' });
      // The question was asked and answered before it is looked whether something is there.
      await page.waitForResponse((response) => response.url().endsWith('/api/LookRepository'));
      await expect(want).toHaveCount(0);
      await git(weft.project, 'init', '-q');
      await page.getByRole('textbox', { name: 'First prompt' }).fill('y');
      await expect(want).toBeDisabled();
      await expect(page.getByText('This repository has no commits yet')).toBeVisible();
    },
  );
});

test('an agent can have a process for each space', async ({ weft, page, ui }) => {
  await weft.script('Robin', 'silent.mjs');
  await weft.open(page);
  await ui.openSettings();
  await page.getByRole('button', { name: 'Actions for Robin' }).click();
  await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Robin' });
  await dialog.getByText('More', { exact: true }).click();
  await dialog.getByRole('combobox', { name: /^Processes/ }).selectOption('One per space');
  await accessible(page, 'the form of an agent');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const kept = JSON.parse(await readFile(weft.settings, 'utf8'));
  expect(kept.agents[0]).toMatchObject({ name: 'Robin', process: 'perSpace' });
});
