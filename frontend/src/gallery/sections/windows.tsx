import { useEffect } from 'react';
import { toast } from 'sonner';
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

/** What most windows of the gallery have. */
export const usual: Scene = {
  spaces: states,
  talks: { waits: apples().events, unseen: work.weighed.events },
  changes: { waits: 3 },
};

/** Goes into the space in which something waits. */
export const inSpace = (weft: Weft) => weft.select('waits');

export const Space = () => (
  <Window scene={{ ...usual, talks: { waits: apples().state('queue', queue).events } }} prepare={inSpace} />
);
export const SpaceEmpty = () => <Window scene={usual} prepare={(weft) => weft.select('quiet')} />;
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
