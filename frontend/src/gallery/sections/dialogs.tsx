import type { Weft } from '../../state/weft';
import type { Answer } from '../../transport/api';
import type { Scene } from '../backend';
import { day, now } from '../clock';
import { folder, home, space } from '../data/spaces';
import * as work from '../data/work';
import { Window } from '../Window';
import { inSpace, usual } from './windows';

const menu = (...clicks: string[]) => <Window scene={usual} prepare={inSpace} clicks={clicks} />;

const dialog = (open: (weft: Weft) => void, change: Scene = {}) => (
  <Window
    scene={{ ...usual, ...change }}
    prepare={(weft) => {
      inSpace(weft);
      open(weft);
    }}
  />
);
export const Palette = () => dialog((weft) => weft.open('palette'));
export const Keyboard = () => dialog((weft) => weft.open('keyboard'));
export const Import = () => dialog((weft) => weft.open('import'));
const exporting = (messageId: string) =>
  dialog((weft) => weft.dialogs.set({ exporting: { spaceId: 'waits', messageId, lastId: '' } }));
export const Export = () => exporting('');
export const ExportMessage = () => exporting('waits-m1');
export const Delete = () =>
  dialog((weft) => weft.dialogs.set({ deleting: { space: space('quiet', 'Name the rows'), agent: 'Wren' } }));
export const WorktreeDialog = () => {
  const [worktree] = work.worktrees;
  const none = { count: 0, names: [] };
  return dialog((weft) => weft.dialogs.set({ worktree: { id: 'tree-1', next: null } }), {
    answers: {
      Worktrees: [...work.worktrees],
      ...(worktree !== undefined && {
        WorktreeState: {
          ...{ worktree, foreign: false, repositoryGone: false, locked: false, lockReason: '', hidden: none },
          ...{
            changed: { count: 2, names: ['src/apples.js', 'src/main.js'] },
            ignored: none,
            submodules: [],
          },
          ...{
            untracked: { count: 1, names: ['notes/why.md'] },
            busy: '',
            current: 'weigh-crates',
            loose: 0,
          },
          ...{ unmerged: 2, unpushed: 0, branchGone: false, unsaved: true, token: 't' },
        },
      }),
    },
  });
};
export const Close = () => dialog((weft) => weft.dialogs.set({ closing: 2 }), { window: true });
export const Undo = () =>
  dialog((weft) => weft.dialogs.set({ undoSince: { spaceId: 'waits', messageId: 'waits-m1' } }), {
    answers: {
      PlanUndo: {
        known: true,
        files: [
          {
            path: 'src/apples.js',
            what: 'edit',
            added: 2,
            removed: 1,
            conflict: '',
            stuck: '',
            version: 'v',
          },
          {
            path: 'notes/why.md',
            what: 'remove',
            added: 0,
            removed: 3,
            conflict: 'edited',
            stuck: '',
            version: 'v',
          },
        ],
      },
    },
  });
const commit = (plan: Answer<'PlanCommit'>, changes: Scene['changes']) =>
  dialog(
    (weft) =>
      weft.dialogs.set({
        commit: { spaceId: 'waits', prompt: 'Can you fix that an empty basket counts as one?' },
      }),
    { answers: { PlanCommit: plan, AcceptedFiles: { files: plan.files } }, changes: changes ?? {} },
  );
export const Commit = () => commit(work.commitPlan, { waits: 3 });
export const CommitNothing = () => commit({ ...work.commitPlan, files: [] }, { waits: 3 });
export const Folder = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        ListFolders: { path: home, parent: '/home', folders: ['garden', 'orchard', 'pictures', '.config'] },
      },
    }}
    prepare={(weft) => weft.show('new')}
    clicks={['.folder-button']}
  />
);
export const Earlier = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        EarlierSessions: {
          ...{ next: 'more', forget: true },
          sessions: ['Count the pears', 'Mend the fence', ''].map((title, i) => ({
            ...{
              sessionId: `e${i}`,
              title,
              folder,
              updatedAt: now - (i + 1) * day,
              spaceId: i === 1 ? 'quiet' : '',
            },
          })),
        },
      },
    }}
    prepare={(weft) => weft.show('new')}
    clicks={['.earlier-button']}
  />
);

const tagged: Scene = {
  spaces: [
    space('waits', 'Count the apples', { tags: ['release', 'later'] }),
    space('quiet', 'Name the rows', { tags: ['later'] }),
  ],
  order: {
    ...{ pins: [], projects: [] },
    tags: [
      { id: 'release', name: 'Release', tone: 3 },
      { id: 'later', name: 'Later', tone: 5 },
      { id: 'long', name: 'A tag with a name that is as long as it may be', tone: 7 },
    ],
  },
};
export const Tags = () => dialog((weft) => weft.dialogs.set({ tags: ['waits', 'quiet'] }), tagged);
export const TagsNone = () => dialog((weft) => weft.dialogs.set({ tags: ['waits'] }));
export const TagsManage = () => (
  <Window
    scene={{ ...usual, ...tagged }}
    prepare={(weft) => {
      inSpace(weft);
      weft.dialogs.set({ tags: [] });
    }}
    clicks={['[data-edit="later"]']}
  />
);
export const ViewMenu = () => (
  <Window scene={{ ...usual, ...tagged }} prepare={inSpace} clicks={['.view-button']} />
);

export const SpaceMenu = () => menu('.space-more');
export const PanelsMenu = () => menu('.space-header button[aria-haspopup="menu"]');
export const ModeMenu = () => menu('.composer-mode');
export const ModelMenu = () => menu('.option-trigger');
export const UsageMenu = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        Usage: {
          last: null,
          space: {
            ...{ runs: 3, input: 120_400, output: 8_200, cachedRead: 98_000, total: 226_600 },
            costs: [{ amount: 0.42, currency: 'USD' }],
          },
          today: { runs: 9, input: 420_400, output: 18_200, cachedRead: 198_000, total: 636_600, costs: [] },
        },
      },
    }}
    prepare={inSpace}
    clicks={['.usage-trigger']}
  />
);
