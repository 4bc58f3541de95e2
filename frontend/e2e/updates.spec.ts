import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accessible } from './support/axe';
import { binary, repository } from './support/binary';
import { expect, test } from './support/test';
import { Weft } from './support/weft';

const execute = promisify(execFile);

/** Everything of two versions: one that is installed as install.sh does, and a newer one that a server on this machine publishes. */
class Versions {
  readonly folder: string;
  readonly prefix: string;
  readonly server: Server;
  url = '';
  key = '';
  private readonly secret: string;

  private constructor(folder: string, keys: string) {
    this.folder = folder;
    this.prefix = join(folder, 'local');
    const [, publicKey = '', , , ...secret] = keys.split('\n');
    this.key = publicKey;
    this.secret = secret.join('\n').trim();
    this.server = createServer((request, response) => {
      readFile(join(this.folder, 'published', request.url ?? '')).then(
        (data) => response.end(data),
        () => response.writeHead(404).end(),
      );
    });
  }

  static async create(): Promise<Versions> {
    const folder = await mkdtemp(join(tmpdir(), 'weft-updates-'));
    await execute('go', ['build', '-o', join(folder, 'manifest'), './build/packages/manifest'], {
      cwd: repository,
    });
    const { stdout } = await execute(join(folder, 'manifest'), ['-new-key']);
    const versions = new Versions(folder, stdout);
    await mkdir(join(folder, 'published'));
    await new Promise<void>((done) => versions.server.listen(0, '127.0.0.1', done));
    versions.url = `http://127.0.0.1:${(versions.server.address() as AddressInfo).port}`;
    return versions;
  }

  /** The tree of a version, as in the archive. */
  async tree(version: string): Promise<string> {
    const root = join(this.folder, version, `weft-${version}`);
    const programs = join(root, 'lib/weft');
    await mkdir(programs, { recursive: true });
    await mkdir(join(root, 'bin'));
    await mkdir(join(root, 'share/doc/weft'), { recursive: true });
    await symlink('../lib/weft/weft', join(root, 'bin/weft'));
    await writeFile(join(root, 'share/doc/weft', `only-${version}`), version);
    await copyFile(`${binary()}-supervise`, join(programs, 'weft-supervise'));
    const flags = ['-tags', 'desktop,production,webkit2_41', '-ldflags', `-s -w -X main.version=${version}`];
    await execute('go', ['build', ...flags, '-o', join(programs, 'weft'), '.'], { cwd: repository });
    return root;
  }

  /** Installs a version. */
  async install(version: string): Promise<void> {
    await cp(await this.tree(version), this.prefix, { recursive: true, verbatimSymlinks: true });
    const list = ['bin/weft', 'lib/weft/weft', 'lib/weft/weft-supervise', `share/doc/weft/only-${version}`];
    await writeFile(join(this.prefix, 'lib/weft/installed-files'), `${list.join('\n')}\n`);
  }

  /** Publishes a version. */
  async publish(version: string, date: number, notes: string): Promise<void> {
    const root = await this.tree(version);
    const machine = process.arch === 'x64' ? 'amd64' : process.arch;
    const archive = join(this.folder, 'published', `weft-${version}-linux-${machine}.tar.gz`);
    await execute('tar', ['-C', join(root, '..'), '-I', 'gzip -1', '-cf', archive, `weft-${version}`]);
    await this.sign(version, date, notes, archive);
  }

  async sign(version: string, date: number, notes: string, archive: string): Promise<void> {
    await writeFile(join(this.folder, 'notes.md'), notes);
    const out = join(this.folder, 'published', 'weft.json');
    await execute(
      join(this.folder, 'manifest'),
      [
        ...['-version', version, '-date', String(date), '-notes', join(this.folder, 'notes.md')],
        ...['-url', `${this.url}/`, '-out', out, archive],
      ],
      { env: { WEFT_SIGNING_KEY: this.secret } },
    );
  }

  /** How a Weft of it is run. */
  environment(): Record<string, string> {
    return { WEFT_UPDATE_ADDRESS: `${this.url}/weft.json`, WEFT_UPDATE_SIGNER: this.key };
  }

  async dispose(): Promise<void> {
    this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

test('a version is found, taken back when its start fails, and installed when no turn is running', async ({
  page,
  ui,
}) => {
  const versions = await Versions.create();
  const weft = await Weft.create();
  try {
    await versions.install('1.0.0');
    await versions.publish(
      '1.1.0',
      1_700_000_000,
      '* **Pears** are counted, too. <img src=x onerror=alert(1)>',
    );
    weft.program = join(versions.prefix, 'bin/weft');
    weft.extra = versions.environment();
    await weft.start();
    const { puppet } = await weft.puppet();
    await weft.open(page);

    // Asked once, and nothing is asked of the server before.
    const notice = page.getByRole('region', { name: 'Check for new versions of Weft each day?' });
    await notice.getByRole('button', { name: 'Check each day' }).click();
    await expect(notice).toHaveCount(0);
    await page.goto(`${weft.url}/#settings/updates`);
    const section = page.getByRole('region', { name: 'Updates' });
    await expect(section.getByRole('checkbox', { name: 'Check for updates each day' })).toBeChecked();
    await section.getByRole('button', { name: 'Check now' }).click();
    await expect(section).toContainText('Weft 1.1.0 is available. You have 1.0.0.');
    await expect(section.locator('.update-notes strong')).toHaveText('Pears');
    await expect(section.locator('.update-notes img')).toHaveCount(0);
    await accessible(page, 'updates', 'all');
    await ui.picture('updates-available');
    await section.getByRole('button', { name: /^Download and install/ }).click();
    await expect(section).toContainText('Weft 1.1.0 is ready. Restart to finish the update.');

    // Its first start fails, so the next one goes back.
    await weft.stop();
    const data = ['--data', join(versions.folder, 'notes.md'), '--settings', weft.settings];
    const env = weft.environment();
    await expect(execute(weft.program, ['serve', ...data], { env })).rejects.toThrow();
    expect((await execute(weft.program, ['--version'], { env })).stdout).toBe('weft 1.1.0\n');
    await weft.start();
    await weft.open(page);
    const back = "Weft 1.1.0 didn't start, so Weft went back to 1.0.0. Your conversations are as they were.";
    await expect(page.getByRole('region', { name: back })).toBeVisible();
    await ui.picture('updates-back');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await weft.call('InstallUpdate');

    // A turn is running: it waits.
    await ui.send('Count the pears');
    const turn = await puppet.turn();
    await page
      .getByRole('region', { name: /Weft 1\.1\.0 is ready/ })
      .getByRole('button', { name: 'Restart' })
      .click();
    await expect(
      page.getByRole('region', { name: 'Weft restarts when the agents have finished their turns.' }),
    ).toBeVisible();
    await ui.picture('updates-waiting');
    expect((await weft.call('Bootstrap'))?.version).toBe('1.0.0');
    turn.say('Three pears.');
    turn.end();

    // The same page, with the same session, is that of the new version.
    await expect(page.getByRole('region', { name: 'Weft was updated from 1.0.0 to 1.1.0.' })).toBeVisible();
    await expect(ui.transcript).toContainText('Three pears.');
    expect((await weft.call('Bootstrap'))?.version).toBe('1.1.0');
    await ui.picture('updates-done');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect((await weft.call('Updates'))?.outcome).toBeNull();
  } finally {
    await weft.dispose();
    await versions.dispose();
  }
});
