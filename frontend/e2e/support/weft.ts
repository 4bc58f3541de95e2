import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from '@playwright/test';
import type { Event, Ref } from '../../src/transcript/types';
import type {
  Agent,
  Answer,
  Command,
  FindCursor,
  Request,
  Rule,
  Space,
  SpacePlace,
} from '../../src/transport/api';
import { binary } from './binary';
import { makeProject } from './project';
import { type Manners, Puppet } from './puppet';
import { rule } from './rules';

const agents = resolve(import.meta.dirname, '../agents');

/** A `weft serve` of its own: data, settings, home and a project, all in a temporary folder. */
export class Weft {
  readonly folder: string;
  readonly home: string;
  readonly data: string;
  readonly settings: string;
  readonly project: string;
  private server: ChildProcess | undefined;
  private puppets: Puppet[] = [];
  private followed: AbortController[] = [];
  private link = '';
  private key = '';
  /** The program that is started, and what its environment has besides. */
  program = '';
  extra: Record<string, string> = {};
  /** Where it is, without a slash at the end. */
  url = '';

  private constructor(folder: string) {
    this.folder = folder;
    this.home = join(folder, 'home');
    this.data = join(folder, 'data');
    // In a folder of their own, as a user's are: beside the home they can't be hidden from an agent while they are replaced.
    this.settings = join(folder, 'config', 'settings.json');
    this.project = join(this.home, 'orchard');
  }

  static async create(): Promise<Weft> {
    const weft = new Weft(await mkdtemp(join(tmpdir(), 'weft-e2e-')));
    await mkdir(weft.home);
    await mkdir(dirname(weft.settings));
    await makeProject(weft.project);
    return weft;
  }

  /** The environment of everything that is started: nothing of the user who runs the tests. */
  environment(): Record<string, string> {
    const path = [resolve(process.execPath, '..'), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
    return {
      HOME: this.home,
      PATH: path,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TMPDIR: this.folder,
      ...this.extra,
    };
  }

  async start(): Promise<void> {
    const args = ['serve', '--data', this.data, '--settings', this.settings, '--addr', '127.0.0.1:0'];
    const server = spawn(this.program === '' ? binary() : this.program, args, {
      env: this.environment(),
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.server = server;
    let complaint = '';
    server.stderr.on('data', (data) => {
      complaint += data;
    });
    for await (const line of createInterface({ input: server.stdout })) {
      this.link = /^Weft is at (\S+)/.exec(line)?.[1] ?? this.link;
      this.key = /Bearer (\S+)/.exec(line)?.[1] ?? '';
      if (this.key !== '') break;
    }
    if (this.key === '') throw new Error(`weft serve did not start: ${complaint}`);
    this.url = this.link.split('/#')[0] ?? '';
  }

  /** Ends the server, by its process id. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    const timeout = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timeout);
  }

  /** Stops the server where it is, or lets it continue: its connections stay open. */
  freeze(still: boolean): void {
    this.server?.kill(still ? 'SIGSTOP' : 'SIGCONT');
  }

  async dispose(): Promise<void> {
    for (const one of this.followed) one.abort();
    await this.stop();
    for (const puppet of this.puppets) puppet.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The link that was printed, which works once. */
  firstLink(): string {
    const link = this.link;
    this.link = '';
    return link;
  }

  /** Opens the window, through the link that was printed the first time and by its cookie later. */
  async open(page: Page): Promise<void> {
    await page.goto(this.link === '' ? this.url : this.link);
    this.link = '';
    await page.getByRole('navigation', { name: 'Spaces and settings' }).waitFor({ state: 'attached' });
    // Menus and the like come a moment after the first screen; on a busy machine a test is faster.
    await page.locator('.shell[data-rest="true"]').waitFor({ state: 'attached' });
  }

  async call<C extends Command>(command: C, request?: Request<C>): Promise<Answer<C>> {
    const response = await fetch(`${this.url}/api/${command}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}` },
      body: JSON.stringify(request ?? {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${command}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer<C>;
  }

  /** The place of the first match in a space. A page of the search may end before it: each takes a bounded time. */
  async placeOf(space: Space, query: string): Promise<SpacePlace> {
    let from: FindCursor | null = null;
    do {
      const request = { spaceId: space.id, query, limit: 1, context: 20 };
      const { hits, next }: Answer<'FindInSpace'> = await this.call(
        'FindInSpace',
        from === null ? request : { ...request, from },
      );
      const [hit] = hits;
      if (hit !== undefined) return { messageId: hit.messageId, segment: hit.segment, item: hit.item };
      from = next;
    } while (from !== null);
    throw new Error(`${query} is nowhere`);
  }

  /** What is kept by reference. */
  async blob({ hash }: Ref): Promise<unknown> {
    const headers = { Authorization: `Bearer ${this.key}` };
    return (await fetch(`${this.url}/blob/${hash}`, { headers })).json();
  }

  /** What goes over the wire for those who follow a space, from now on until Weft ends. The list grows. */
  async follow(spaceId: string): Promise<readonly Event[]> {
    const events: Event[] = [];
    const headers = { Authorization: `Bearer ${this.key}` };
    const stop = new AbortController();
    this.followed.push(stop);
    const { body } = await fetch(`${this.url}/api/spaces/${spaceId}/events`, {
      headers,
      signal: stop.signal,
    });
    if (body === null) throw new Error('there are no events');
    const read = async () => {
      let rest = '';
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines)
          if (line.startsWith('data: {')) events.push(JSON.parse(line.slice(6)) as Event);
      }
    };
    read().catch(() => {}); // it ends with the test
    return events;
  }

  /** Adds one of the scripts in agents/ as an agent. */
  script(name: string, file: string, env: Record<string, string> = {}): Promise<Agent> {
    return this.agent(name, process.execPath, [join(agents, file)], env);
  }

  agent(name: string, command: string, args: string[], env: Record<string, string> = {}): Promise<Agent> {
    return this.call('SaveAgent', { id: '', name, command, args, env, cwd: 'space' });
  }

  /** Lets agents write files and run commands through Weft without a question. */
  async trust(): Promise<void> {
    await this.saveRules(rule({ kind: 'edit' }), rule({ kind: 'execute' }));
  }

  /** Saves permission rules as the settings do. */
  async saveRules(...rules: Rule[]): Promise<void> {
    await this.call('SavePermissionRules', { rules, spaceId: '', requestId: '' });
  }

  /** Adds an agent that the test leads, and opens a space with it. */
  async puppet(
    name = 'Robin',
    manners: Manners = {},
  ): Promise<{ puppet: Puppet; agent: Agent; space: Space }> {
    const { puppet, agent } = await this.actor(name, manners);
    return { puppet, agent, space: await this.space(agent.id) };
  }

  /** Adds an agent that the test leads. */
  async actor(name: string, manners: Manners = {}): Promise<{ puppet: Puppet; agent: Agent }> {
    const puppet = await Puppet.listen(manners);
    this.puppets.push(puppet);
    return { puppet, agent: await this.script(name, 'puppet.mjs', { WEFT_PUPPET: puppet.socket }) };
  }

  space(agentId: string, title = ''): Promise<Space> {
    return this.call('CreateSpace', { agentId, folder: this.project, title });
  }
}

/** How a script of agents/ is started by hand. */
export function scriptPath(file: string): string {
  return join(agents, file);
}
