import type { PanelName } from '../../state/shown';
import { writeKept } from '../../state/ui';
import type { Scene } from '../backend';
import { minute, now } from '../clock';
import { folder } from '../data/spaces';
import * as work from '../data/work';
import { Window } from '../Window';
import { fileView } from './files';
import { inSpace, usual } from './windows';

const withPanel = (panel: PanelName, change: Scene = {}) => (
  <Window
    scene={{ ...usual, ...change }}
    prepare={(weft) => {
      inSpace(weft);
      weft.shown.set({ panel, shownRun: 'run' });
    }}
  />
);

const changed: Scene = {
  answers: {
    ReviewChanges: { files: [...work.files], coverage: '', watching: true, last: null },
    ReviewDiff: work.diff,
  },
};
/** The first file opens automatically. */
export const Changes = () => withPanel('changes', changed);
export const ChangesSplit = () => {
  writeKept({ changesSplit: true });
  return withPanel('changes', changed);
};
export const ChangesEmpty = () => withPanel('changes', { changes: {} });
export const Branches = () =>
  withPanel('branches', { answers: { Branches: { spaces: [...work.tree], forks: [] } } });
export const Members = () => (
  <Window
    scene={{ ...usual, answers: { MemberPresets: [work.preset] } }}
    prepare={(weft) => {
      weft.select('team');
      weft.shown.set({ panel: 'members' });
    }}
  />
);
export const Run = () =>
  withPanel('run', {
    answers: {
      RunMessages: {
        run: {
          ...{
            id: 'run',
            spaceId: 'waits',
            messageId: 'm',
            agentId: 'robin',
            agentName: 'Robin',
            memberId: 'main',
          },
          ...{ model: 'sparrow-4', promptId: 'p', startedAt: now - 3 * minute, endedAt: now - minute },
          ...{ stopReason: 'end_turn', usage: null, error: null },
        },
        messages: [
          { spaceId: 'waits', spaceTitle: 'Count the apples', messageId: 'm', createdAt: now - 3 * minute },
          { spaceId: 'team', spaceTitle: 'Plan the autumn', messageId: 'n', createdAt: now - 2 * minute },
        ],
      },
    },
  });
const outlined: Scene = {
  answers: {
    Outline: ({ from }) => ({ entries: from === 0 ? [...work.outline] : [], next: 0, open: 0, last: 9 }),
  },
};
export const Outline = () => withPanel('outline', outlined);
/** In the margin of a conversation that is wide enough. */
export const OutlineRail = () => <Window scene={{ ...usual, ...outlined }} prepare={inSpace} />;
export const OutlineEmpty = () =>
  withPanel('outline', { answers: { Outline: { entries: [], next: 0, open: 0, last: 0 } } });
export const Log = () => withPanel('log', { answers: { ProtocolLog: [...work.log] } });
export const Follow = () => {
  const place = { path: `${folder}/src/apples.js`, line: 2, to: 2, at: now - minute };
  return (
    <Window
      scene={{
        ...usual,
        places: { waits: place },
        answers: {
          VisitedPlaces: { places: [place] },
          ReadSpaceFile: fileView(),
        },
      }}
      prepare={(weft) => {
        inSpace(weft);
        weft.toggleFollow('waits');
      }}
    />
  );
};
export const File = () => (
  <Window
    scene={{ ...usual, answers: { ReadSpaceFile: fileView() } }}
    prepare={(weft) => {
      inSpace(weft);
      weft.showFile('waits', { path: `${folder}/src/apples.js`, line: 2, column: 0 });
    }}
  />
);
