import { useEffect } from 'react';
import { toast } from 'sonner';
import { runAction } from '../../keyboard/actions';
import type { Weft } from '../../state/weft';
import { CommandError } from '../../transport/transport';
import { forever, type Scene } from '../backend';
import { agents, home, states } from '../data/spaces';
import { Talk } from '../data/talk';
import * as work from '../data/work';
import { Window } from '../Window';
import { offered, plan, queue } from './writing';

const apples = () => {
  const talk = new Talk('waits');
  talk.events.push(...work.apples.events);
  return talk.state('session', offered).state('usage', { used: 42_000, size: 200_000 }).state('plan', plan);
};

/** The data that most windows of the gallery share. */
export const usual: Scene = {
  spaces: states,
  talks: { waits: apples().events, unseen: work.weighed.events },
  changes: { waits: 3 },
};

/** Opens the space with the pending request. */
export const inSpace = (weft: Weft) => weft.select('waits');

export const Space = () => (
  <Window scene={{ ...usual, talks: { waits: apples().state('queue', queue).events } }} prepare={inSpace} />
);
export const SpaceEmpty = () => <Window scene={usual} prepare={(weft) => weft.select('quiet')} />;
export const SpaceArchived = () => (
  <Window
    scene={{ ...usual, spaces: states.map((one) => ({ ...one, archived: one.id === 'waits' })) }}
    prepare={inSpace}
  />
);
/** Search within a conversation, at a match. */
/** The complete result of the search within the conversation. */
const foundAt = [0, 1, 2, 3].map((start) => ({
  ...{ messageId: '', ord: 1, segment: 0, item: -1, source: 'text', end: 5 },
  ...{ start, before: '', text: 'apple', after: '' },
}));
const foundInSpace = ({ from }: { from?: unknown }) => ({
  ...{ hits: from ? [] : foundAt, next: null, open: 0, last: 2 },
});

export const Find = () => {
  // Opens the search with its shortcut as soon as the conversation exists.
  useEffect(() => {
    const open = () => {
      if (document.querySelector('.transcript .row') === null) frame = requestAnimationFrame(open);
      else runAction('find');
    };
    let frame = requestAnimationFrame(open);
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Window
      scene={{
        ...usual,
        answers: { ['FindInSpace']: foundInSpace },
      }}
      prepare={inSpace}
      types={['.find-field', 'apple']}
    />
  );
};
/** Search of all spaces. */
export const Search = () => (
  <Window
    scene={{ ...usual, answers: { Search: work.searched, SearchPreview: work.searchPreview } }}
    prepare={(weft) => weft.showSearch('kind:fruit apples')}
  />
);
export const SearchEmpty = () => <Window scene={usual} prepare={(weft) => weft.showSearch('')} />;
export const SpaceLoading = () => (
  <Window scene={{ ...usual, answers: { OpenSpace: forever } }} prepare={inSpace} />
);
export const SpaceFailed = () => (
  <Window
    scene={{
      ...usual,
      answers: { OpenSpace: new CommandError('failed', 'The database could not be read: the disk is full.') },
    }}
    prepare={inSpace}
  />
);
export const First = () => <Window scene={{}} />;
export const FirstNone = () => (
  <Window scene={{ agents: agents.filter(({ source }) => source === 'builtin') }} />
);
export const NewSpace = () => <Window scene={usual} prepare={(weft) => weft.show('new')} />;
export const Failed = () => (
  <Window
    scene={{ answers: { Bootstrap: new CommandError('failed', 'Weft did not answer within 30 seconds.') } }}
  />
);
export const NotStarted = () => (
  <Window
    scene={{
      answers: {
        Bootstrap: new CommandError(
          'not_started',
          'The database can’t be opened: it is damaged.',
          'database disk image is malformed (11)',
        ),
      },
    }}
  />
);
export const Refused = () => (
  <Window
    scene={{ connection: 'refused', answers: { Bootstrap: new CommandError('refused', 'No session.') } }}
  />
);
export const Problems = () => (
  <Window
    scene={{
      ...{ ...usual, connection: 'offline' },
      problems: [
        {
          ...{ code: 'settings', path: `${home}/.config/weft/settings.json`, line: 14, column: 3 },
          message: 'The settings have a mistake and are ignored: expected a comma.',
        },
      ],
    }}
    prepare={(weft) => weft.select('quiet')}
  />
);

export function Toasts() {
  useEffect(() => {
    const duration = Number.POSITIVE_INFINITY;
    const action = { label: 'Undo', onClick: () => {} };
    toast('The address was copied.', { duration });
    toast('Name the rows was archived.', { duration, action });
    toast.error('Couldn’t send the prompt.', {
      duration,
      description: 'The agent has ended: exit status 1.',
    });
    return () => void toast.dismiss();
  }, []);
  return <Window scene={usual} prepare={inSpace} />;
}
