import { useEffect } from 'react';
import type { Problem } from '../../transport/api';
import { Boundary } from '../../views/parts/Boundary';
import { Banners } from '../../views/shell/Banners';
import { loadRest } from '../../views/shell/later';
import { SideNote } from '../../views/shell/Side';
import { Inbox } from '../../views/sidebar/Inbox';
import { SpaceRow } from '../../views/sidebar/SpaceRow';
import '../../views/shell/shell.css';
import '../../views/sidebar/sidebar.css';
import { home, space, states } from '../data/spaces';
import { Specimen } from '../Specimen';
import { Stage } from '../Stage';

const [waits, ...others] = states;
const renamed = space('renamed', 'A new name');

export function SidebarRows() {
  useEffect(loadRest, []);
  return (
    <>
      <Specimen of="Rows" wide>
        <Stage scene={{ spaces: states }} prepare={(weft) => weft.shown.set({ renaming: 'renamed' })}>
          <ul className="gallery-aside">
            {waits !== undefined && (
              <>
                <SpaceRow space={waits} chosen />
                <SpaceRow space={waits} chosen={false} tree={{ open: true, branches: 2, toggle: () => {} }} />
              </>
            )}
            {others.map((one) => (
              <SpaceRow key={one.id} space={one} chosen={false} />
            ))}
            <SpaceRow space={space('nested', 'Count from the other end')} chosen={false} nested />
            <SpaceRow space={renamed} chosen={false} />
          </ul>
        </Stage>
      </Specimen>
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
