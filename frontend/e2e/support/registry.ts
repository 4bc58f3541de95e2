import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scriptPath, type Weft } from './weft';

const run = promisify(execFile);

interface Archive {
  url: string;
  sha256: string;
}

/** A registry on loopback that a test fills, with the archives that it names. */
export class TestRegistry {
  readonly url: string;
  private readonly server: Server;
  private readonly archives = new Map<string, Buffer>();
  /** What /registry.json answers. */
  body = '{}';
  status = 200;
  /** An archive whose second half comes once this is settled. */
  hold: Promise<unknown> | null = null;
  /** How many archives were asked for. */
  downloads = 0;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const path = request.url ?? '';
      if (path === '/registry.json') {
        response.writeHead(this.status, { 'Content-Type': 'application/json' }).end(this.body);
        return;
      }
      const data = this.archives.get(path);
      if (data === undefined) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'Content-Length': data.length });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      this.downloads++;
      const half = Math.floor(data.length / 2);
      response.write(data.subarray(0, half));
      await this.hold;
      response.end(data.subarray(half));
    });
  }

  static async listen(): Promise<TestRegistry> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestRegistry(server);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Makes it the source of a Weft. */
  async use(weft: Weft): Promise<void> {
    const settings = JSON.parse(await readFile(weft.settings, 'utf8')) as Record<string, unknown>;
    const next = `${weft.settings}.next`;
    await writeFile(next, JSON.stringify({ ...settings, registry: `${this.url}/registry.json` }, null, 2));
    await rename(next, weft.settings);
    // The file is watched: it is in force when the list says so.
    for (;;) {
      if ((await weft.call('Registry')).source === `${this.url}/registry.json`) return;
    }
  }

  list(agents: unknown[]): void {
    this.body = JSON.stringify({ version: '1.0.0', agents });
  }

  serve(name: string, data: Buffer): Archive {
    this.archives.set(`/${name}`, data);
    return { url: `${this.url}/${name}`, sha256: createHash('sha256').update(data).digest('hex') };
  }

  /** Publishes a package and makes this the registry of the npm that a Weft runs. */
  async publish(
    weft: Weft,
    about: { name: string; version: string } & Record<string, unknown>,
  ): Promise<void> {
    const { name, version } = about;
    const folder = join(weft.folder, `npm-${name}`);
    await mkdir(join(folder, 'package'), { recursive: true });
    await writeFile(join(folder, 'package/package.json'), JSON.stringify(about));
    await writeFile(join(folder, `package/${name}.js`), '#!/usr/bin/env node\n');
    const file = join(folder, 'package.tgz');
    await run('tar', ['-czf', file, '-C', folder, 'package']);
    const data = await readFile(file);
    const { url } = this.serve(`${name}-${version}.tgz`, data);
    const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
    const versions = { [version]: { ...about, dist: { tarball: url, integrity } } };
    const document = { name, 'dist-tags': { latest: version }, versions };
    this.serve(name, Buffer.from(JSON.stringify(document)));
    await writeFile(join(weft.home, '.npmrc'), `registry=${this.url}\nfetch-retries=0\n`);
  }

  /** An archive with an agent that a test leads: a program, and the script that it starts. */
  async agent(weft: Weft, version: string): Promise<Archive> {
    const folder = join(weft.folder, `made-${version}`);
    await mkdir(join(folder, 'bin'), { recursive: true });
    await mkdir(join(folder, 'lib'));
    await copyFile(scriptPath('puppet.mjs'), join(folder, 'lib/puppet.mjs'));
    await writeFile(join(folder, 'bin/robin'), "#!/usr/bin/env node\nimport('../lib/puppet.mjs');\n");
    await chmod(join(folder, 'bin/robin'), 0o755);
    const file = join(weft.folder, `robin-${version}.tar.gz`);
    await run('tar', ['-czf', file, '-C', folder, 'bin', 'lib']);
    return this.serve(`robin-${version}.tar.gz`, await readFile(file));
  }
}

const platforms = ['linux-x86_64', 'linux-aarch64', 'darwin-aarch64', 'darwin-x86_64'];

/** An entry with a binary for every machine that the tests run on. */
export function binaryEntry(
  of: { id: string; name: string; version: string } & Record<string, unknown>,
  target: object,
): object {
  return {
    description: 'Does what the test says',
    license: 'MIT',
    repository: 'https://example.com/robin',
    authors: ['The tests'],
    distribution: { binary: Object.fromEntries(platforms.map((platform) => [platform, target])) },
    ...of,
  };
}

/** An entry with a package of npm. */
export function npmEntry(of: { id: string; name: string; version: string }, name: string): object {
  return {
    description: 'Does what the test says',
    license: 'MIT',
    authors: ['The tests'],
    distribution: { npx: { package: `${name}@${of.version}` } },
    ...of,
  };
}
