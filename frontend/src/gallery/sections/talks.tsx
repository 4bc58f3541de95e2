import type { Content } from '../../transcript/types';
import { pendingHash, pictureHash } from '../blobs';
import { second } from '../clock';
import { folder } from '../data/spaces';
import { Talk } from '../data/talk';
import { prose } from '../data/texts';
import { Specimen } from '../Specimen';
import { TranscriptRows } from '../TranscriptRows';

const talk = () => new Talk('talk');

export function Prose() {
  return (
    <>
      <TranscriptRows of="Finished" talk={talk().agent().say(prose).end()} />
      <TranscriptRows
        of="While it streams"
        talk={talk().agent().say('The count comes from the length of the list, and **empty bas')}
      />
      <TranscriptRows
        of="What the agent repeats of the user, a note of Weft, a notice of the agent"
        talk={talk()
          .agent()
          .say('Count the apples again.', 'user')
          .say('The agent was started again and continues.', 'app')
          .say('A newer version of Robin is available: 2.5.0.', 'notice')
          .end()}
      />
    </>
  );
}

const along: Content[] = [
  { type: 'image', name: 'baskets.png', mimeType: 'image/png', ref: { hash: pictureHash, size: 48_213 } },
  {
    type: 'resource_link',
    name: 'apples.js',
    uri: `file://${folder}/src/apples.js`,
    mimeType: 'text/javascript',
  },
  { type: 'audio', name: 'wind.mp3', mimeType: 'audio/mpeg', ref: { hash: pendingHash, size: 1_204_000 } },
];
const long = Array.from(
  { length: 14 },
  (_, i) =>
    `${i + 1}. In row ${i + 1} there are baskets that nobody has counted since the wind of last week.`,
).join('\n');

export function Prompts() {
  return (
    <>
      <TranscriptRows of="Short" talk={talk().prompt('Count the apples.')} />
      <TranscriptRows
        of="Two lines"
        talk={talk().prompt('Why does an empty basket count as one?\nPlease fix it, and run the tests.')}
      />
      <TranscriptRows
        of="Where other branches have another one"
        talk={talk().prompt('Count the apples from the other end.')}
        forks={new Map([['talk-m1', { messageId: 'talk-m1', spaces: ['a', 'talk'], at: 1 }]])}
      />
      <TranscriptRows of="Long, cut with a fade" talk={talk().prompt(long)} />
      <TranscriptRows of="Long, opened" talk={talk().prompt(long)} open={{ 'talk-m1': true }} />
      <TranscriptRows
        of="With attachments, and with nothing else"
        talk={talk()
          .prompt('What is in this basket?', ...along)
          .prompt('', ...along.slice(1))}
      />
    </>
  );
}

const test = { command: 'npm test', text: '' };

export function Calls() {
  return (
    <>
      <TranscriptRows
        of="Each status"
        talk={talk()
          .agent()
          .call({ title: 'Search for count(', kind: 'search', status: 'pending' })
          .say('Pending. Then running:')
          .call({ title: 'Read src/apples.js', kind: 'read', status: 'running' })
          .say('Completed:')
          .call({ title: 'Read src/apples.js', kind: 'read', summary: '48 lines', results: 48 })
          .say('Canceled:')
          .call({ title: 'Fetch https://orchard.example', kind: 'fetch', status: 'cancelled' })
          .say('Rejected:')
          .call({ title: 'Delete old.txt', kind: 'delete', status: 'rejected' })
          .say('Not asked:')
          .call({
            ...{
              title: 'Run npm test',
              kind: 'execute',
              summary: '12 passed',
              input: { command: 'npm test' },
            },
            unasked: { kind: 'execute', command: 'npm test' },
          })
          .say('Failed, and news:')
          .call({
            ...{ title: 'Run npm test', kind: 'execute', status: 'failed', retryable: true },
            error: 'Exit code 1: expected 0, got 1',
          })}
      />
      <TranscriptRows
        of="Failed, and something was said since"
        talk={talk()
          .agent()
          .call({ title: 'Run npm test', kind: 'execute', status: 'failed', error: 'Exit code 1' })
          .end()
          .prompt('Leave that.')}
      />
      <TranscriptRows
        of="Each kind"
        talk={['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']
          .reduce((so, kind) => so.call({ title: `A call of the kind ${kind}`, kind }), talk().agent())
          .end()}
        open={{ 'talk-m1:0': true }}
      />
      <TranscriptRows
        of="Opened: input, output, places"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Weigh the crates', toolName: 'scales__weigh', input: { crates: 12, unit: 'kg' } },
            output: { kg: 118.4, each: [9.8, 9.9, 9.9] },
            locations: [{ path: `${folder}/src/scales.js`, line: 14 }],
            summary: '118.4 kg',
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Drawn in little, hidden"
        talk={talk()
          .agent()
          .call({ title: 'Read the clock', visibility: 'minimal' })
          .say('It is twenty past ten.')
          .call({ title: 'Read the clock', visibility: 'hidden' })
          .end()}
      />
    </>
  );
}

const reads = (so: Talk, n: number, from = 1) =>
  Array.from({ length: n }, (_, i) => i + from).reduce(
    (all, i) => all.call({ title: `Read baskets/${i}.txt`, kind: 'read', summary: '12 lines', took: 40 }),
    so,
  );

export function Groups() {
  return (
    <>
      <Specimen of="Small, closed and open" wide>
        <TranscriptRows talk={reads(talk().agent(), 3).end()} />
        <TranscriptRows talk={reads(talk().agent(), 3).end()} open={{ 'talk-m1:0': true }} />
      </Specimen>
      <TranscriptRows
        of="With failures"
        talk={reads(
          reads(talk().agent(), 3).call({
            ...{
              title: 'Read baskets/4.txt',
              kind: 'read',
              status: 'failed',
              error: 'There is no such file.',
            },
          }),
          2,
          5,
        )
          .call({ title: 'Edit src/apples.js', kind: 'edit', summary: '+4 −1' })
          .end()}
      />
      <TranscriptRows
        of="200 calls, of which some failed"
        talk={Array.from({ length: 10 }, (_, i) => i).reduce(
          (so, i) =>
            reads(so, 19, i * 20 + 1).call({
              ...{
                title: 'Run weigh',
                kind: 'execute',
                status: 'failed',
                error: 'The scales are wet.',
                took: 90,
              },
            }),
          talk().agent(),
        )}
      />
      <TranscriptRows of="200 calls, closed" talk={reads(talk().agent(), 200).end()} />
      <TranscriptRows
        of="Grows"
        talk={reads(talk().agent(), 4)
          .think('Which basket is next?')
          .call({ title: 'Search for basket', kind: 'search', status: 'running' })}
      />
      <TranscriptRows of="What a call has started" talk={nested()} open={{ 'talk-m1:0': true }} />
    </>
  );
}

function nested(): Talk {
  const so = talk()
    .agent()
    .call({ title: 'Ask a helper to count', kind: 'think', status: 'running', took: 0 });
  const parent = so.lastCall;
  return so
    .call({ title: 'Read baskets/1.txt', kind: 'read', parent, summary: '12 lines' })
    .call({
      title: 'Read baskets/2.txt',
      kind: 'read',
      parent,
      status: 'failed',
      error: 'There is no such file.',
    })
    .call({ title: 'Read baskets/3.txt', kind: 'read', parent, status: 'running' });
}

const thought =
  'The count comes from the length of the list. Empty baskets are null there, so their place is counted.\n\nI should look at where the list is made before I change how it is counted.';

export function Thoughts() {
  return (
    <>
      <Specimen of="Alone, closed and open" wide>
        <TranscriptRows talk={talk().agent().think(thought).say('I have it.').end()} />
        <TranscriptRows
          talk={talk().agent().think(thought).say('I have it.').end()}
          open={{ 'talk-m1:0:0': true }}
        />
      </Specimen>
      <TranscriptRows
        of="Between calls"
        talk={reads(reads(talk().agent(), 2).think(thought, 12 * second), 1, 3).end()}
        open={{ 'talk-m1:0': true }}
      />
      <TranscriptRows
        of="At the top of the message"
        talk={reads(talk().agent().think(thought), 2).say('Two baskets.').end()}
        thoughts="top"
      />
      <TranscriptRows of="While it thinks" talk={talk().agent().think(thought)} />
      <TranscriptRows of="Working, and nothing said yet" talk={talk().agent()} />
    </>
  );
}

const oldText = `export function count(baskets) {
  // FIXME: an empty basket counts as one
  return baskets.length;
}

export function weigh(baskets) {
  return baskets.map((basket) => basket.kg);
}
`;
const newText = oldText
  .replace('  // FIXME: an empty basket counts as one\n', '')
  .replace('baskets.length', 'baskets.filter((basket) => basket !== null).length');

export const edited: Content = {
  ...{ type: 'diff', path: `${folder}/src/apples.js`, oldText, newText, added: 1, removed: 2 },
};

export function Changes() {
  const file = { type: 'diff', path: `${folder}/notes/why.md`, newText: '# Why\n\nRows are counted once.\n' };
  return (
    <>
      <TranscriptRows
        of="A file that was edited"
        talk={talk()
          .agent()
          .call({ title: 'Edit src/apples.js', kind: 'edit', content: [edited], summary: '+1 −2' })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="A new file"
        talk={talk()
          .agent()
          .call({
            title: 'Write notes/why.md',
            kind: 'edit',
            content: [{ ...file, newFile: true, added: 3 }],
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Text and a picture"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Look at the basket', kind: 'read' },
            content: [
              { type: 'text', text: 'Twelve apples, one of them green.' },
              { type: 'image', mimeType: 'image/png', ref: { hash: pictureHash, size: 48_213 } },
            ],
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
    </>
  );
}

const printed = `\u001b[1m> orchard@1.0.0 test\u001b[0m

\u001b[32m✔\u001b[0m counts full baskets \u001b[90m(1.2 ms)\u001b[0m
\u001b[31m✖\u001b[0m counts empty baskets
  expected \u001b[32m0\u001b[0m, got \u001b[31m1\u001b[0m
\u001b[33m1 warning\u001b[0m, \u001b[36m2 files\u001b[0m, \u001b[44;97m 12 tests \u001b[0m
`;

export function Terminals() {
  return (
    <>
      <TranscriptRows
        of="Ended well, opened"
        talk={talk()
          .agent()
          .call({
            title: 'npm test',
            kind: 'execute',
            terminal: { ...test, text: printed },
            summary: 'exit code 0',
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Ended with an error, opened"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'npm test', kind: 'execute', status: 'failed', error: 'Exit code 1' },
            terminal: { ...test, text: printed, exit: { exitCode: 1 } },
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Ended by the user"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'npm run serve', kind: 'execute', status: 'cancelled' },
            terminal: {
              command: 'npm run serve',
              text: 'Listening on 8080\n',
              exit: { killed: true, signal: 'SIGTERM' },
            },
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Printed by the agent’s own terminal"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'ls', kind: 'execute', input: { command: 'ls' }, prints: 'apples.js\nmain.js\n' },
            exit: { exitCode: 0 },
          })
          .end()}
        open={{ 'talk-m1:0:0': true }}
      />
      <TranscriptRows
        of="Runs"
        talk={talk()
          .agent()
          .call({
            title: 'npm test',
            kind: 'execute',
            status: 'running',
            terminal: { ...test, text: printed },
          })}
      />
    </>
  );
}

export function Writing() {
  const file = JSON.stringify({ path: 'src/rows.ts', content: `${oldText}${oldText}` });
  const edit = JSON.stringify({ path: 'src/apples.js', old_string: oldText, new_string: newText });
  const command = JSON.stringify({ command: 'npm test -- --watch=false && npm run lint' });
  return (
    <>
      <TranscriptRows
        of="A file"
        talk={talk()
          .agent()
          .call({ title: 'Write', kind: 'edit', status: 'pending', writes: file.slice(0, -30) })}
      />
      <TranscriptRows
        of="An edit"
        talk={talk()
          .agent()
          .call({ title: 'Edit', kind: 'edit', status: 'pending', writes: edit.slice(0, -40) })}
      />
      <TranscriptRows
        of="A command"
        talk={talk()
          .agent()
          .call({ title: 'Run', kind: 'execute', status: 'pending', writes: command.slice(0, -8) })}
      />
    </>
  );
}
