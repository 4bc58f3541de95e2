import { Inbox as InboxIcon } from 'lucide-react';
import { useMemo } from 'react';
import { t } from '../../i18n';
import { requestsIn } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Hint } from '../parts/Hint';
import './inbox.css';

/** The way to the inbox, and how many requests wait in it. Which spaces they are in is said by the marks of the rows. */
export function Inbox() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const open = useStore(weft.shown, ({ screen }) => screen === 'inbox');
  const { count, more } = useMemo(() => requestsIn(spaces), [spaces]);
  return (
    <div className="inbox">
      <Hint label={t('inbox.title')} keys="mod+j">
        <button
          type="button"
          className="inbox-open"
          aria-current={open ? 'page' : undefined}
          onClick={() => weft.showInbox(weft.pending()[0] ?? null, false)}
        >
          <InboxIcon size={16} aria-hidden />
          {t('inbox.title')}
          {count > 0 && (
            <>
              <span className="inbox-count tabular" aria-hidden>
                {count}
                {more && '+'}
              </span>
              <span className="visually-hidden">{t('inbox.waiting', { count })}</span>
            </>
          )}
        </button>
      </Hint>
    </div>
  );
}
