import { Inbox as InboxIcon } from 'lucide-react';
import { useMemo } from 'react';
import { t } from '../../i18n';
import { countRequests } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Tooltip } from '../parts/Tooltip';
import './inbox.css';

/** The inbox button with the number of pending requests. The marks of the rows show in which spaces. */
export function Inbox() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const open = useStore(weft.shown, ({ screen }) => screen === 'inbox');
  const { count, more } = useMemo(() => countRequests(spaces), [spaces]);
  return (
    <div className="inbox">
      <Tooltip label={t('inbox.title')} keys="mod+j">
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
      </Tooltip>
    </div>
  );
}
