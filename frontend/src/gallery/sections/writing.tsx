import { useEffect, useMemo, useState } from 'react';
import type { Attached } from '../../state/attachments';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Json } from '../../transcript/types';
import type { Space } from '../../transport/api';
import { CommandError } from '../../transport/transport';
import { Composer } from '../../views/composer/Composer';
import { attachmentsOf } from '../../views/composer/useAttachments';
import { WorkingStrip } from '../../views/members/WorkingStrip';
import { NotAsked } from '../../views/permissions/NotAsked';
import { loadRest } from '../../views/shell/later';
import { Plans } from '../../views/transcript/Plan';
import type { Scene } from '../backend';
import { minute, now } from '../clock';
import { member, space } from '../data/spaces';
import { Talk } from '../data/talk';
import { Specimen } from '../Specimen';
import { Stage } from '../Stage';

const choices = (...names: string[]) => names.map((name) => ({ value: name.toLowerCase(), name }));

/** Session options of an agent. */
export const offered: Json = {
  agentId: 'robin',
  options: [
    { id: 'model', name: 'Model', category: 'model', type: 'select', current: 'sparrow-4', via: 'config' },
    { id: 'mode', name: 'Mode', category: 'mode', type: 'select', current: 'ask', via: 'mode' },
    { id: 'web', name: 'Search the web', type: 'boolean', current: true, via: 'config' },
  ].map((option) => ({
    ...option,
    ...(option.id === 'model' && {
      choices: [
        { value: 'sparrow-4', name: 'Sparrow 4', description: 'Fast, for most work' },
        { value: 'eagle-2', name: 'Eagle 2', description: 'Slow, for hard problems' },
      ],
    }),
    ...(option.id === 'mode' && { choices: choices('Ask', 'Edit', 'Plan') }),
  })),
  acts: 'asks',
  can: { image: true, embedded: true },
  auth: [],
  servers: [],
};

export const plan: Json = [
  { content: 'Find where apples are counted', status: 'completed', priority: 'high' },
  { content: 'Correct the count', status: 'in_progress', priority: 'high' },
  { content: 'Run the tests', status: 'pending', priority: 'medium' },
];

const first = {
  id: 'q1',
  text: 'Then run the tests',
  at: now - minute,
  memberId: 'main',
  said: '',
  from: '',
};

export const queue: Json[] = [
  first,
  {
    ...{ id: 'q2', text: 'And look at this', at: now, memberId: 'main', said: '', from: '' },
    parts: [{ path: 'src/apples.js' }, { name: 'baskets.png', kind: 'image' }],
  },
];

/** Sign-in methods. */
export const ways: Json = [
  { id: 'web', name: 'Sign in with Robin', type: 'agent', description: 'Opens a page in your browser.' },
  { id: 'key', name: 'Use a key', type: 'env_var', variables: [{ name: 'ROBIN_KEY', secret: true }] },
];

const attached = (id: number, name: string, change: Partial<Attached> = {}): Attached => ({
  ...{
    id,
    name,
    size: 48_213,
    preview: null,
    kind: 'text',
    status: 'ready',
    problem: '',
    part: null,
    file: null,
  },
  ...change,
});

interface State {
  id: string;
  of: string;
  change?: Partial<Space>;
  talk?: Talk;
  draft?: string;
  attachments?: readonly Attached[];
  scene?: Scene;
}

const idle = (id: string) =>
  new Talk(id).state('session', offered).state('usage', { used: 42_000, size: 200_000 });

const states: readonly State[] = [
  { id: 'c-empty', of: 'Empty', talk: idle('c-empty') },
  {
    ...{ id: 'c-draft', of: 'With a draft and attachments', talk: idle('c-draft') },
    draft: 'Why does an empty basket count as one?\nPlease fix it.',
    attachments: [
      attached(1, 'apples.js'),
      attached(2, 'baskets.png', { kind: 'image', status: 'uploading' }),
      attached(3, 'wind.mp3', { kind: 'audio' }),
      attached(4, 'orchard.zip', {
        kind: 'other',
        status: 'failed',
        problem: 'orchard.zip is larger than 20 MB.',
      }),
    ],
  },
  {
    ...{ id: 'c-works', of: 'While the agent works, with a plan and a queue', draft: 'Then' },
    talk: idle('c-works')
      .prompt('Count.')
      .agent()
      .say('I’ll look.')
      .state('plan', plan)
      .state('queue', queue),
  },
  {
    ...{ id: 'c-stopped', of: 'With a queue that is paused: the turn was stopped' },
    talk: idle('c-stopped').prompt('Count.').agent().say('I’ll look.').end('cancelled').state('queue', queue),
  },
  {
    ...{ id: 'c-failed', of: 'With a queue that is paused: the turn has failed' },
    talk: idle('c-failed')
      .prompt('Count.')
      .agent()
      .fail({ code: 'server', message: 'The model is overloaded.', retryable: true })
      .state('queue', queue.slice(0, 1)),
  },
  {
    ...{ id: 'c-signs', of: 'With a queue that waits for a sign-in' },
    talk: new Talk('c-signs')
      .state('session', { ...(offered as Record<string, Json>), signIn: true, auth: ways })
      .state('queue', queue.slice(0, 1)),
  },
  {
    ...{ id: 'c-paused', of: 'With queues of several members, of which one is paused' },
    change: { members: [member('main', 'Robin'), member('wren', 'Wren')] },
    talk: idle('c-paused')
      .agent('Wren', { member: 'wren' })
      .say('I’ll look.')
      .end('cancelled')
      .agent('Robin')
      .say('I’ll look.')
      .state('queue', [...queue, { ...first, id: 'q3', memberId: 'wren', from: 'Robin' }]),
  },
  {
    ...{ id: 'c-team', of: 'In a space of several members' },
    change: { members: [member('main', 'Robin'), member('wren', 'Wren'), member('finch', 'Finch')] },
    talk: idle('c-team')
      .agent('Robin')
      .say('I’ll look.')
      .agent('Wren', { member: 'wren' })
      .state('plan', plan)
      .state('plan', plan, 'wren'),
  },
  {
    ...{ id: 'c-unasked', of: 'After something was done without asking' },
    talk: idle('c-unasked')
      .prompt('Count.')
      .agent()
      .call({
        title: 'Edit src/apples.js',
        kind: 'edit',
        unasked: { kind: 'edit', path: '/home/ada/orchard/src/apples.js' },
      })
      .end(),
  },
  {
    ...{ id: 'c-unready', of: 'Where the agent could not be started' },
    scene: {
      answers: {
        PrepareAgent: new CommandError('agent_missing', 'Couldn’t start Robin: the command was not found.'),
      },
    },
  },
  { id: 'c-offline', of: 'Without a connection', talk: idle('c-offline'), scene: { connection: 'offline' } },
];

interface WrittenProps {
  state: Space;
  prepares: boolean;
  draft: string;
  attachments: readonly Attached[];
}

function Written({ state, prepares, draft, attachments }: WrittenProps) {
  const weft = useWeft();
  useState(() => {
    weft.drafts.begin(state.id, draft);
    attachmentsOf(weft.drafts, state.id).store.set({ list: attachments });
  });
  const session = useMemo(() => weft.session(state.id), [weft, state]);
  const ready = useStore(session.store, ({ status }) => status === 'ready');
  useEffect(() => {
    session.watch();
    if (prepares) session.prepare('main');
    return () => session.unwatch();
  }, [session, prepares]);
  if (!ready) return null;
  return (
    <>
      <WorkingStrip session={session} space={state} />
      <Plans session={session} space={state} />
      <NotAsked session={session}>{null}</NotAsked>
      <Composer session={session} space={state} />
    </>
  );
}

function One({ id, of, change, talk, draft = '', attachments = [], scene = {} }: State) {
  const [made] = useState(() => space(id, of, change));
  return (
    <Specimen of={of} wide>
      <Stage scene={{ spaces: [made], talks: talk === undefined ? {} : { [id]: talk.events }, ...scene }}>
        <Written {...{ state: made, draft, attachments }} prepares={scene.answers !== undefined} />
      </Stage>
    </Specimen>
  );
}

export function Composers() {
  useEffect(loadRest, []);
  return states.map((state) => <One key={state.id} {...state} />);
}
