import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** What serves repositories over HTTP. */
export interface Forge {
  /** Where the repository is, at a name that Weft takes for GitHub's. */
  address: string;
  close(): void;
}

/** Serves a bare repository at folder/ada/apples.git, which anyone can push to, by git's own program for it (CGI). */
export async function serveForge(folder: string): Promise<Forge> {
  const repository = join(folder, 'ada', 'apples.git');
  execFileSync('git', ['init', '--quiet', '--bare', repository]);
  execFileSync('git', ['-C', repository, 'config', 'http.receivepack', 'true']);
  const programs = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  const server = createServer((asked, answer) => {
    const { pathname, search } = new URL(asked.url ?? '/', 'http://x');
    const serving = spawn(join(programs, 'git-http-backend'), {
      env: {
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: asked.method ?? 'GET',
        CONTENT_TYPE: asked.headers['content-type'] ?? '',
        REMOTE_USER: 'ada',
      },
    });
    asked.pipe(serving.stdin);
    let said = Buffer.alloc(0);
    serving.stdout.on('data', (part: Buffer) => {
      said = Buffer.concat([said, part]);
    });
    serving.on('close', () => {
      const end = said.indexOf('\r\n\r\n');
      for (const line of said.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') answer.statusCode = Number.parseInt(value, 10);
        else answer.setHeader(name, value);
      }
      answer.end(said.subarray(end + 4));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { address: `http://github.localhost:${port}/ada/apples.git`, close: () => server.close() };
}
