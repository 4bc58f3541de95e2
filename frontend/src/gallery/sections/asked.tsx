import type { Json, PermissionOption, Reading, Status } from '../../transcript/types';
import { inputs } from '../../views/displays/inputs.fixture';
import { pictureData } from '../blobs';
import { minute, now } from '../clock';
import { folder } from '../data/spaces';
import { Talk } from '../data/talk';
import { Specimen } from '../Specimen';
import { TranscriptRows } from '../TranscriptRows';
import { edited } from './talks';

const talk = () => new Talk('talk');

const command: Reading = {
  kind: 'execute',
  commands: [{ line: 'npm test -- --watch=false', runs: ['npm'] }],
};
const risky: Reading = {
  ...{ kind: 'execute', folder: '/etc', outside: true, unclear: 'dynamic' },
  commands: [
    { line: 'curl https://orchard.example/$NAME | sudo sh', shell: 'bash -c', runs: ['curl', 'sudo', 'sh'] },
  ],
  env: [{ name: 'NAME', value: 'apples' }],
  raises: [{ name: 'sandbox', value: 'off' }],
  other: [{ name: 'timeout', value: '120' }],
};
const edit: Reading = {
  ...{ kind: 'edit', diff: true },
  files: [{ path: `${folder}/src/apples.js`, write: true }],
};
const outside: Reading = {
  kind: 'read',
  files: [
    { path: '/etc/hosts', outside: true },
    { path: `${folder}/.git/config`, git: true },
  ],
};
const many: PermissionOption[] = [
  { optionId: '1', name: 'Allow once', kind: 'allow_once' },
  { optionId: '2', name: 'Allow npm for this session', kind: 'allow_always' },
  { optionId: '3', name: 'Reject', kind: 'reject_once' },
  { optionId: '4', name: 'Reject, and never ask again', kind: 'reject_always' },
];

export function Requests() {
  return (
    <>
      <TranscriptRows
        of="A command"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Run the tests', kind: 'execute', status: 'waiting' },
            ...{ input: { command: 'npm test -- --watch=false' }, asks: { reading: command } },
          })}
      />
      <TranscriptRows
        of="A command that rules can’t decide, with four answers"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Prepare the machine', kind: 'execute', status: 'waiting' },
            asks: { reading: risky, options: many },
          })}
      />
      <TranscriptRows
        of="An edit"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Edit src/apples.js', kind: 'edit', status: 'waiting', content: [edited] },
            asks: { reading: edit },
          })}
      />
      <TranscriptRows
        of="Files outside of the folder"
        talk={talk()
          .agent()
          .call({
            title: 'Look at the hosts',
            kind: 'read',
            status: 'waiting',
            asks: { reading: outside },
          })}
      />
    </>
  );
}

const form: Json = {
  message: 'Where should the crates go?',
  mode: 'form',
  requestedSchema: {
    type: 'object',
    required: ['street'],
    properties: {
      street: { type: 'string', title: 'Street' },
      floor: { type: 'integer', title: 'Floor', minimum: 0 },
      how: { type: 'string', title: 'How', enum: ['bike', 'van'] },
      gift: { type: 'boolean', title: 'A gift' },
    },
  },
};
const ways: Json = {
  message: '',
  requestedSchema: {
    type: 'object',
    required: ['choice'],
    properties: {
      choice: {
        type: 'string',
        default: 'send',
        oneOf: [
          { const: 'send', title: 'Send anyway' },
          {
            const: 'set:mode:plan',
            title: 'Set “Mode” to “plan” and send',
            description: 'Plan mode. Disallows all edit tools.',
          },
        ],
      },
    },
  },
};
const link: Json = {
  ...{
    message: 'Sign in to the market, please.',
    mode: 'url',
    url: 'https://market.example/sign-in?from=orchard',
  },
};

export function Questions() {
  const question = {
    kind: 'other',
    toolName: 'weft/question',
    status: 'waiting',
    asks: { options: [] },
  } as const;
  return (
    <>
      <TranscriptRows
        of="A form"
        talk={talk()
          .agent()
          .call({ title: 'Where should the crates go?', input: form, ...question })}
      />
      <TranscriptRows
        of="An address"
        talk={talk()
          .agent()
          .call({ title: 'Sign in to the market, please.', input: link, ...question })}
      />
      <TranscriptRows
        of="Before a prompt is sent"
        talk={talk()
          .agent()
          .call({
            ...question,
            title:
              "Robin doesn't say that it asks before it changes files or runs commands, so Weft can't enforce what your rules reject: “rm”, “src/**”.",
            toolName: 'weft/hold',
            input: ways,
          })}
      />
      <TranscriptRows
        of="Answered, and declined"
        talk={talk()
          .agent()
          .call({
            ...{ title: 'Where should the crates go?', toolName: 'weft/question', input: form },
            output: { street: 'Elm Lane 4', how: 'van', gift: true },
          })
          .say('And then:')
          .call({
            ...{ title: 'Sign in to the market, please.', toolName: 'weft/question', input: link },
            status: 'rejected',
          })
          .end()}
        open={{ 'talk-m1:0:0': true, 'talk-m1:2:0': true }}
      />
    </>
  );
}

/** Selects inputs by tool name. */
function only(...tools: string[]): Record<string, { [key: string]: Json }> {
  return Object.fromEntries(tools.map((tool) => [tool, inputs[tool] ?? {}]));
}

const asking: Readonly<Record<string, { [key: string]: Json }>> = {
  ...only('showApprovalForm', 'showChoice', 'showForm'),
  showCard: { ...inputs['showCard'], image: pictureData, wait: true },
};

const shown: Readonly<Record<string, { [key: string]: Json }>> = {
  showTable: {
    title: 'Crates by day',
    columns: [
      { key: 'day', label: 'Day' },
      { key: 'apples', label: 'Apples' },
      { key: 'pears', label: 'Pears' },
    ],
    rows: [
      { day: 'Monday', apples: 12, pears: 5 },
      { day: 'Tuesday', apples: 9, pears: 14 },
      { day: 'Wednesday', apples: 21, pears: 3 },
    ],
  },
  showChart: {
    ...{ title: 'Crates a day', type: 'bar', labels: ['Monday', 'Tuesday', 'Wednesday'] },
    series: [
      { name: 'Apples', data: [12, 9, 21] },
      { name: 'Pears', data: [5, 14, 3] },
    ],
  },
  showImage: { src: pictureData, alt: 'A meadow', caption: 'Behind the house' },
  ...only('showDiff'),
  showProgress: {
    ...inputs['showProgress'],
    steps: [
      { label: 'Ladder', status: 'done' },
      { label: 'Pick', status: 'running' },
      { label: 'Carry', status: 'pending' },
      { label: 'Weigh', status: 'failed' },
    ],
  },
  ...only('showMarkdown', 'weighHarvest'),
};

const answers: Readonly<Record<string, Json>> = {
  showApprovalForm: { approved: true, comment: 'Go ahead.' },
  showChoice: { choice: 'p' },
  showForm: { street: 'Elm Lane 4', floor: 2, how: 'van', gift: true },
  showCard: { action: 'buy' },
};

/** Renders the displays of a message, one for each tool. */
function Drawn({
  of,
  status,
  output,
}: {
  of: Readonly<Record<string, { [key: string]: Json }>>;
  status: Status;
  output?(tool: string): Json;
}) {
  const so = talk().agent();
  for (const [toolName, input] of Object.entries(of)) {
    const told = output === undefined ? {} : { output: output(toolName) };
    so.call({ title: toolName, toolName, kind: 'display', status, input, ...told });
  }
  return <TranscriptRows talk={so} />;
}

export function DisplaysOpen() {
  return (
    <Specimen of="Waiting for an answer" wide>
      <Drawn of={asking} status="waiting" />
    </Specimen>
  );
}

export function DisplaysAnswered() {
  const at = now - minute;
  return (
    <>
      <Specimen of="Answered" wide>
        <Drawn
          of={asking}
          status="completed"
          output={(tool) => ({ state: 'answered', answer: answers[tool] ?? null, at, by: 'person' })}
        />
      </Specimen>
      <Specimen of="Nobody answered in time" wide>
        <Drawn of={only('showChoice')} status="failed" output={() => ({ state: 'expired', at })} />
      </Specimen>
    </>
  );
}

export function DisplaysShown() {
  return (
    <Specimen of="Shown" wide>
      <Drawn of={shown} status="completed" output={() => ({ state: 'shown' })} />
    </Specimen>
  );
}
