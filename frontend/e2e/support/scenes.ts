import { diff, type Puppet, said, type Turn } from './puppet';
import type { Screen } from './screen';

// Conversations that pictures are taken of.

/** An agent in the middle of its work. */
export function stream(turn: Turn): void {
  turn.plan([
    { content: 'Find where apples are counted', status: 'completed' },
    { content: 'Correct the count', status: 'in_progress' },
    { content: 'Run the tests', status: 'pending' },
  ]);
  turn.think('The count comes from the length of the list. Empty baskets are null there.');
  turn.say('I’ll look at **how apples are counted** first.');
  turn.did({ toolCallId: '1', title: 'Read src/main.js', kind: 'read', content: [said('1 import')] });
  turn.did({ toolCallId: '2', title: 'Read src/apples.js', kind: 'read', content: [said('2 export')] });
  turn.did({
    toolCallId: '3',
    title: 'Read test/none.test.js',
    kind: 'read',
    status: 'failed',
    content: [said('There is no such file')],
  });
  turn.tool({ toolCallId: '4', title: 'Search for count(', kind: 'search', status: 'in_progress' });
}

/** What came of it. */
export function finish(turn: Turn): void {
  turn.change({ toolCallId: 'edit', status: 'completed' });
  turn.change({ toolCallId: '4', status: 'completed', content: [said('3 matches in 2 files')] });
  turn.say(
    'Done. An empty basket is `null` in the list, so its *place* was counted:\n\n```js\nreturn baskets.filter((basket) => basket !== null).length;\n```\n\n| basket | before | now |\n|---|---:|---:|\n| red | 1 | 1 |\n| empty | 1 | 0 |\n\n- [x] the count\n- [ ] the tests\n',
  );
  turn.end();
}

/** The edit that the agent asks for. */
export const edit = (project: string) => ({
  toolCallId: 'edit',
  title: 'Edit src/apples.js',
  kind: 'edit',
  content: [
    diff(
      `${project}/src/apples.js`,
      'export function count(baskets) {\n  // FIXME: an empty basket counts as one\n  return baskets.length;\n}\n',
      'export function count(baskets) {\n  return baskets.filter((basket) => basket !== null).length;\n}\n',
    ),
  ],
});

/** A turn that ends badly. */
export function fail(turn: Turn): void {
  turn.did({
    toolCallId: 'run',
    title: 'npm test',
    kind: 'execute',
    rawInput: { command: 'npm test' },
    status: 'failed',
    content: [said('\u001b[31m✖ counts\u001b[0m\n  expected 0, got 1\nexit code 1')],
  });
  turn.fail('The model is overloaded. Try again in a minute.', -32603, { details: 'HTTP 529' });
}

/** Five turns, each longer than it has to be. */
export async function history(ui: Screen, puppet: Puppet): Promise<void> {
  for (let n = 1; n <= 5; n++) {
    await ui.composer.fill(`Step ${n}: what about the baskets of row ${n}?`);
    await ui.composer.press('Enter');
    const turn = await puppet.turn();
    turn.think('Rows are read from the top.');
    turn.say(
      `# Row ${n}\n\nThe baskets of this row are counted one by one, and empty ones are left out. The count is kept beside the row, so that it need not be done again.\n`,
    );
    for (let i = 1; i <= 4; i++)
      turn.did({
        toolCallId: `${n}-${i}`,
        title: `Read baskets/${n}-${i}.txt`,
        kind: 'read',
        content: [said('12 lines')],
      });
    turn.say(
      `There are ${n * 12} apples:\n\n1. red ones first,\n2. then green ones,\n3. then those of which nobody knows.\n`,
    );
    turn.end();
    await ui.idle();
  }
}
