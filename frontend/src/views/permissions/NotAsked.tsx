import { ShieldAlert, Undo2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { runAction } from '../../keyboard/actions';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { notAskedSince, type NotAsked as One } from '../../transcript/notAsked';
import type { By } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { about } from './words';
import './permissions.css';

/** How many are listed; the others are counted. */
const most = 3;

/**
 * Reports immediately what an agent did without asking although the space is read-only or asks, or against a rule, and
 * offers to undo it. Otherwise renders its children.
 */
export function NotAsked({ session, children }: { session: Session; children: ReactNode }) {
  const weft = useWeft();
  const conversation = useStore(session.store, (state) => state.conversation);
  const { promptId, list } = notAskedSince(conversation);
  const [dismissed, setDismissed] = useState('');
  const section = useRef<HTMLElement>(null);
  const last = list.at(-1);
  const key = `${promptId} ${list.length}`;
  if (last === undefined || dismissed === key) return children;
  const dismiss = () => {
    // The button disappears with the notice, so the focus must move elsewhere.
    const here = section.current?.contains(document.activeElement) === true;
    setDismissed(key);
    if (here) runAction('composer.focus');
  };
  return (
    <section ref={section} className="not-asked" aria-label={t('notAsked.label')}>
      <ShieldAlert size={15} aria-hidden />
      <div className="not-asked-text" role="status">
        <p className="not-asked-title">{t('notAsked.title', { count: list.length, n: list.length })}</p>
        <ul>
          {list.slice(-most).map((one) => (
            <Line key={one.call.toolCallId} one={one} />
          ))}
        </ul>
        {list.length > most && (
          <p className="not-asked-why">{t('notAsked.more', { n: list.length - most })}</p>
        )}
      </div>
      <div className="not-asked-answers">
        <button type="button" className="button plain" onClick={dismiss}>
          {t('notAsked.dismiss')}
        </button>
        {promptId !== '' && list.some(mayChange) && (
          <button
            type="button"
            className="button"
            onClick={() => weft.dialogs.set({ undoSince: { spaceId: session.spaceId, messageId: promptId } })}
          >
            <Undo2 size={14} aria-hidden />
            {t('notAsked.undo')}
          </button>
        )}
      </div>
    </section>
  );
}

/** Reports whether there may be something to undo: reading changes nothing. */
function mayChange({ call }: One): boolean {
  return !['read', 'search', 'fetch', 'think'].includes(call.kind);
}

function Line({ one: { call, by, author } }: { one: One }) {
  const what = call.title || call.toolName;
  return (
    <li>
      {by.found !== true && `${oneLine(author)}: `}
      <code>{exactLine(what)}</code>{' '}
      <span className="not-asked-why">
        <WhyAsked by={by} />
      </span>
    </li>
  );
}

/** Why a permission request was required. */
export function WhyAsked({ by }: { by: By }): ReactNode {
  if (by.who === 'rule') {
    const { words, code } = about({
      kind: by.kind ?? '',
      command: by.command ?? '',
      path: by.path ?? '',
      tool: by.tool ?? '',
    });
    return (
      <Sentence
        text={withSlots((_, put) => t('notAsked.why.rule', { rule: put(words) }))}
        slots={{ code: <code>{oneLine(code)}</code> }}
      />
    );
  }
  if (by.mode === 'ask') return t('notAsked.why.ask');
  return by.askedBy ? t('notAsked.why.askedBy', { name: oneLine(by.askedBy) }) : t('notAsked.why.readOnly');
}
