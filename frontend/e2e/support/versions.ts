import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binary, repository } from './binary';

const execute = promisify(execFile);

/** Everything of two versions: one that is installed as install.sh does, and a newer one that a server on this machine publishes. */
export class Versions {
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
    await execute('go', ['build', '-trimpath', '-o', join(folder, 'manifest'), './build/packages/manifest'], {
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
    const flags = [
      '-trimpath',
      '-tags',
      'desktop,production,webkit2_41',
      '-ldflags',
      `-s -w -X main.version=${version}`,
    ];
    // As in the Makefile, so that Go has compiled it already.
    if (process.platform === 'linux' && process.arch === 'x64') flags.unshift('-buildmode=pie');
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

  /** Publishes a version that is listed, but that nobody can install. */
  async announce(version: string, date: number, notes: string): Promise<void> {
    const machine = process.arch === 'x64' ? 'amd64' : process.arch;
    const archive = join(this.folder, 'published', `weft-${version}-linux-${machine}.tar.gz`);
    await writeFile(archive, 'nothing');
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
