import { Inbox as InboxIcon } from 'lucide-react';
import { useId, useMemo } from 'react';
import { t } from '../../i18n';
import { type InboxGroup, inboxGroups, inboxOf } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Hint } from '../parts/Hint';
import { useMinutes } from '../parts/useNow';
import { wantRequest } from '../tools/requests';
import { PendingWords } from './PendingWords';
import './inbox.css';

/** So many spaces of a group are shown; all are in the inbox itself. */
const most = 50;

/** The way to the inbox, and what waits in it: each space once, in its gravest group. Beside the inbox itself it would be said twice. */
export function Inbox() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const open = useStore(weft.shown, ({ screen }) => screen === 'inbox');
  const now = useMinutes();
  const groups = useMemo(() => inboxGroups(inboxOf(spaces)), [spaces]);
  return (
    <div className="inbox" data-empty={open || groups.length === 0 || undefined}>
      <Hint label={t('inbox.title')} keys="mod+j">
        <button
          type="button"
          className="inbox-open"
          aria-current={open ? 'page' : undefined}
          onClick={() => weft.showInbox(weft.pending()[0] ?? null, false)}
        >
          <InboxIcon size={15} aria-hidden />
          {t('inbox.title')}
        </button>
      </Hint>
      {!open && groups.map((group) => <Group key={group.kind} group={group} now={now} />)}
    </div>
  );
}

function Group({ group: { kind, spaces, count, more }, now }: { group: InboxGroup; now: number }) {
  const weft = useWeft();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="inbox-title">
        {t(`inbox.groups.${kind}`)}{' '}
        {kind === 'request' && (
          <span className="inbox-count tabular">
            {count}
            {more && '+'}
          </span>
        )}
      </h2>
      <ul>
        {spaces.slice(0, most).map(({ first, count }) => (
          <li key={first.space.id}>
            <button
              type="button"
              className="inbox-row"
              onClick={() => {
                wantRequest(first.space.id);
                weft.select(first.space.id);
              }}
            >
              <PendingWords of={first} count={count} now={now} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
