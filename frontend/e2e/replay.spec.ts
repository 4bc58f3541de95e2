import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { binary, repository } from './support/binary';
import { expect, test } from './support/test';

// Recordings of real agents, played to the window as an agent: what is there is what
// `weft fold` makes of the same recording, in the same order.

interface Folded {
  messages: {
    role: 'user' | 'agent';
    content: string;
    segments: { type: string; text?: string; items?: { type: string; title?: string; status?: string }[] }[];
  }[];
}

const recordings = [
  'opencode-interleave',
  'opencode-tool-error',
  'claude-tool-error',
  'claude-subagent',
  'gemini-parallel-tools',
  'sdk-example-interleave',
];

for (const name of recordings) {
  test(`plays ${name} as it was`, async ({ weft, page, ui }) => {
    const file = resolve(repository, 'backend/acp/recording/testdata', `${name}.jsonl`);
    const folded = JSON.parse(
      execFileSync(binary(), ['fold', '--json', file], { encoding: 'utf8' }),
    ) as Folded;
    const agent = await weft.agent(name, binary(), ['replay', file, '--speed', 'max']);
    const space = await weft.space(agent.id);
    await weft.open(page);
    const words = folded.messages.find(({ role }) => role === 'user')?.content ?? '';
    await ui.composer.fill(words);
    await ui.composer.press('Enter');
    // Where the agent asks, it is allowed, as it was when this was recorded.
    await expect(async () => {
      const open = ui.transcript.locator('.request[data-armed=true] .answer-allow[aria-disabled=false]');
      if ((await open.count()) > 0) await open.first().click({ timeout: 2000 });
      const { page: held, runs: left } = await weft.call('OpenSpace', { spaceId: space.id });
      expect(left).toEqual([]);
      expect(held.messages).toHaveLength(2);
    }).toPass();
    await ui.idle();
    const calls = (await ui.lines('open')).filter((line) => /^ {2}(tool|thought)|^text/.test(line));
    const wanted = folded.messages
      .filter(({ role }) => role === 'agent')
      .flatMap(({ segments }) => segments)
      .flatMap(({ type, items }) =>
        type === 'text'
          ? ['text']
          : (items ?? []).map(({ type: kind, title, status }) =>
              kind === 'thought'
                ? '  thought'
                : `  tool: ${(title ?? '').replace(/\s+/g, ' ').trim()} (${status})`,
            ),
      );
    // A text may be drawn in several blocks, and two may follow each other.
    const runs = (lines: string[]) => lines.filter((line, i) => line !== 'text' || lines[i - 1] !== 'text');
    const wants = runs(wanted);
    // The window puts a verb and a file where the agent has only the name of a tool or a path.
    const drawn = runs(calls.map((line) => (line.startsWith('text') ? 'text' : line))).map((line, i) =>
      /^ {2}tool: [\w./-]+ \(/.test(wants[i] ?? '') && line.startsWith('  tool: ')
        ? line.replace(/tool: .*(?= \(\w+\)$)/, /tool: [\w./-]+/.exec(wants[i] ?? '')?.[0] ?? '')
        : line,
    );
    expect(drawn).toEqual(wants);
  });
}
