import { type InboxKind, inboxOf } from '../../state/inbox';
import type { Scene } from '../backend';
import { minute, now } from '../clock';
import { space, states } from '../data/spaces';
import { Talk } from '../data/talk';
import { Window } from '../Window';
import { usual } from './windows';

const failed = new Talk('failed', now - 12 * minute)
  .prompt('Sort the pears by weight.')
  .agent()
  .say('I’ll weigh them one by one.')
  .call({ title: 'Weigh the pears', kind: 'execute', status: 'failed', error: 'The scales are wet.' })
  .fail({
    ...{ code: 'agent_exited', message: 'Robin has ended: exit status 1.' },
    detail: 'warning: the scales are wet',
  });

const scene: Scene = { ...usual, talks: { ...usual.talks, failed: failed.events } };

/** Shows the inbox with the first entry of a kind selected. */
const at = (kind: InboxKind, reading = false, change: Scene = {}) => (
  <Window
    scene={{ ...scene, ...change }}
    prepare={(weft) => {
      weft.showInbox(inboxOf(weft.server.get().spaces).find((one) => one.kind === kind) ?? null, reading);
    }}
  />
);

const asking = space('asking', 'Name the rows', {
  ...{ state: 'waiting', agentName: 'Wren' },
  waits: [
    {
      requestId: 'reply',
      kind: 'reply',
      title: 'Which row is the first one: the one at the gate?',
      by: 'Wren',
      at: now,
    },
  ],
});

export const Inbox = () => at('request');
export const InboxReading = () => at('request', true);
export const InboxFailed = () => at('failed');
export const InboxFinished = () => at('finished');
export const InboxReply = () => at('request', false, { spaces: [asking, ...states.slice(1)] });
export const InboxEmpty = () => at('request', false, { spaces: [space('quiet', 'Name the rows')] });
