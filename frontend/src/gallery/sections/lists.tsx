import { useEffect } from 'react';

import { type ListView, plainView } from '../../state/list';
import type { Weft } from '../../state/weft';
import type { Problem, Space, SpaceOrder } from '../../transport/api';

import { Progress, Result } from '../../views/exports/ExportState';

import { Boundary } from '../../views/parts/Boundary';
import { Banners } from '../../views/shell/Banners';
import { loadRest } from '../../views/shell/later';
import { SideNote } from '../../views/shell/Side';
import { Inbox } from '../../views/sidebar/Inbox';
import { PickedBar } from '../../views/sidebar/PickedBar';
import { SpaceList } from '../../views/sidebar/SpaceList';
import { SpaceRow } from '../../views/sidebar/SpaceRow';
import { TagFilter } from '../../views/sidebar/TagFilter';
import { useLines } from '../../views/sidebar/useLines';
import '../../views/shell/shell.css';
import '../../views/sidebar/sidebar.css';
import { day, now } from '../clock';
import { folder, home, space, states } from '../data/spaces';
import { Specimen } from '../Specimen';
import { Stage } from '../Stage';

const [waits, ...others] = states;
const renamed = space('renamed', 'A new name');

const order: SpaceOrder = {
  pins: ['pinned-2', 'pinned-1'],
  tags: [
    { id: 'release', name: 'Release', tone: 3 },
    { id: 'later', name: 'Later', tone: 5 },
    { id: 'design', name: 'Design', tone: 7 },
  ],
  projects: [],
};

const cider = { folder: `${home}/cider`, project: `${home}/cider` };

/** Spaces of two projects with pins, tags, drafts, and some that agents opened. */
const listed: readonly Space[] = [
  ...states,
  space('pinned-1', 'The plan for the harvest', { lastActivity: now - 3 * day, tags: ['release'] }),
  space('pinned-2', 'Questions about pruning', { lastActivity: now - 9 * day, draft: true }),
  space('tagged', 'Labels for the crates', { tags: ['release', 'later', 'design'], draft: true }),
  space('press', 'Clean the press', { ...cider, state: 'failed', lastActivity: now - day }),
  space('bottles', 'How many bottles?', { ...cider, madeBy: 'import', lastActivity: now - 2 * day }),
  space('nightly', 'Nightly check', { madeBy: 'schedule', state: 'waiting' }),
  space('helper', 'Look up the prices', { madeBy: 'agent' }),
];

function List({ of, prepare }: { of: string; prepare?: (weft: Weft) => void }) {
  return (
    <Specimen of={of} wide>
      <Stage scene={{ spaces: listed, order }} {...(prepare !== undefined && { prepare })}>
        <Lines />
      </Stage>
    </Specimen>
  );
}

function Lines() {
  const lines = useLines('');
  return (
    <div className="gallery-aside gallery-list sidebar">
      <TagFilter />
      <div className="sidebar-lists">
        <SpaceList label="Spaces" lines={lines} />
      </div>
      <PickedBar archive={false} />
    </div>
  );
}

const view = (change: Partial<ListView>) => (weft: Weft) =>
  weft.list.set({ view: { ...plainView, ...change }, opened: {}, picked: new Set() });

export function SidebarRows() {
  useEffect(loadRest, []);
  return (
    <>
      <Specimen of="Rows" wide>
        <Stage scene={{ spaces: states }} prepare={(weft) => weft.shown.set({ renaming: 'renamed' })}>
          <ul className="gallery-aside">
            {waits !== undefined && (
              <>
                <Row space={waits} chosen />
                <Row space={waits} branches={2} open />
              </>
            )}
            {others.map((one) => (
              <Row key={one.id} space={one} />
            ))}
            <Row space={space('nested', 'Count from the other end')} nested />
            <Row space={renamed} />
          </ul>
        </Stage>
      </Specimen>
      <List of="By project, with pins" prepare={view({})} />
      <List
        of="By time, with spaces opened by agents shown"
        prepare={(weft) => {
          view({ group: 'time' })(weft);
          weft.list.set({ opened: { others: true, 'time:yesterday': false } });
        }}
      />
      <List
        of="Closed groups"
        prepare={(weft) => {
          view({})(weft);
          const closed = ['pinned', `project:${folder}`, `project:${cider.project}`];
          weft.list.set({ opened: Object.fromEntries(closed.map((key) => [key, false])) });
        }}
      />
      <List of="Filtered by a tag" prepare={view({ tags: ['release'] })} />
      <List
        of="Several spaces selected"
        prepare={(weft) => {
          view({})(weft);
          weft.list.set({ picked: new Set(['tagged', 'press']) });
        }}
      />
      <Specimen of="What waits for the user" wide>
        <Stage scene={{ spaces: states }}>
          <div className="gallery-aside">
            <Inbox />
          </div>
        </Stage>
      </Specimen>
    </>
  );
}

function Row({ chosen = false, ...row }: Partial<React.ComponentProps<typeof SpaceRow>> & { space: Space }) {
  return (
    <li>
      <SpaceRow {...row} chosen={chosen} />
    </li>
  );
}

const problem = (code: string, message: string, change: Partial<Problem> = {}): Problem => ({
  ...{ code, message, path: '', line: 0, column: 0, ...change },
});

const problems = [
  problem('settings', 'The settings have a mistake and are ignored: expected a comma.', {
    ...{ path: `${home}/.config/weft/settings.json`, line: 14, column: 3 },
  }),
  problem('database', 'The database was damaged. It was restored from the copy of yesterday.'),
];

function Breaks(): never {
  throw new Error('rows is undefined');
}

const file = {
  ...{ path: '', name: 'Weigh the crates.md', bytes: 48_200, secretsHidden: 0, secretsUnread: 0 },
  ...{ missing: 0, cut: 0 },
};

export function ExportStates() {
  return (
    <>
      <Specimen of="Before anything is known, with bytes, with segments" wide>
        <Stage scene={{}}>
          <div className="export-state">
            <Progress progress={{ done: 0, total: 0, bytes: 0 }} />
          </div>
          <div className="export-state">
            <Progress progress={{ done: 0, total: 0, bytes: 3_400_000 }} />
          </div>
          <div className="export-state">
            <Progress progress={{ done: 41_216, total: 100_000, bytes: 0 }} />
          </div>
        </Stage>
      </Specimen>
      <Specimen of="Downloaded, saved, and with something that has to be said" wide>
        <Stage scene={{}}>
          <div className="export-state">
            <Result result={file} />
          </div>
          <div className="export-state">
            <Result result={{ ...file, path: '/home/ada/Documents/Weigh the crates.md' }} />
          </div>
          <div className="export-state">
            <Result
              result={{
                ...file,
                ...{ path: '/home/ada/orchard/talks/2026/Weigh the crates.html', secretsHidden: 3 },
                ...{ secretsUnread: 1, missing: 1, cut: 12 },
              }}
            />
          </div>
        </Stage>
      </Specimen>
    </>
  );
}

export function States() {
  return (
    <>
      <Specimen of="Banners" wide>
        <Stage scene={{ problems, connection: 'offline' }}>
          <Banners />
        </Stage>
      </Specimen>
      <Specimen of="A fault of one part" wide>
        <Boundary>
          <Breaks />
        </Boundary>
      </Specimen>
      <Specimen of="A panel that is loading, and one that can’t be" wide>
        <div className="gallery-aside">
          <SideNote error={null} onAgain={() => {}} />
          <SideNote error="Couldn’t read the changes: the folder is gone." onAgain={() => {}} />
        </div>
      </Specimen>
    </>
  );
}
