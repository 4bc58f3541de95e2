import { Inbox as InboxIcon, X } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { markSeen } from '../../commands/spaces';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { InboxItem } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';
import { Keys } from '../parts/Keys';
import { openOverlays } from '../parts/openOverlays';
import { Tooltip } from '../parts/Tooltip';
import { useFittingWidths } from '../parts/useFittingWidths';
import { enterShown, wantRequest } from '../tools/requests';
import { Detail } from './Detail';
import { InboxList } from './InboxList';
import { useInboxKeys } from './useInboxKeys';
import { useStableKey } from './useStableKey';
import { useTriage } from './useTriage';
import { useUndoAnswers } from './useUndoAnswers';
import './inbox-screen.css';

/** From this width in pixels on, list and details fit side by side. */
const bothColumns = [720];

/** The inbox: items of all spaces that need the user, and the details of the selected one. */
export function InboxScreen() {
  const weft = useWeft();
  const triage = useTriage();
  const { list, index, chosen, choose, move, next, known } = triage;
  const undo = useUndoAnswers(triage);
  const reading = useStore(weft.shown, (state) => state.inbox.reading);
  const box = useRef<HTMLElement>(null);
  const listBox = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const way = useRef<HTMLButtonElement>(null);
  const narrow = useFittingWidths(box, bothColumns) === 0;
  const empty = list.length === 0;
  const shownList = !narrow || !reading || empty;
  const shownPane = !empty && chosen !== null && (!narrow || reading);
  const rested = useStableKey(chosen?.key ?? null);
  const passing = rested !== chosen?.key;

  /** The default focus: the element that shows the selection, or the back button of an empty inbox. */
  const home = useCallback(() => listBox.current ?? pane.current ?? way.current ?? box.current, []);
  const leave = () => weft.leaveInbox();
  const back = () => weft.shown.set({ inbox: { ...weft.shown.get().inbox, reading: false } });
  const open = (entry: InboxItem | null) => {
    if (entry === null) return;
    const { space, kind, key } = entry;
    if (kind === 'request') {
      wantRequest(space.id, key);
      weft.select(space.id);
      return;
    }
    const conversation = weft.opened(space.id)?.store.get().conversation;
    const last = conversation?.messages.findLast(({ role }) => role === 'agent');
    if (last === undefined) weft.select(space.id);
    else weft.goTo(space.id, last.id);
  };
  const dismiss = () => {
    if (chosen !== null && chosen.kind !== 'request') void markSeen(weft, chosen.space.id);
  };
  const onKeyDown = useInboxKeys({
    list: listBox,
    pane,
    // Only the selected item can be answered, and only if it is visible.
    answerable: shownPane && !passing && index >= 0,
    move,
    first: () => list[0] !== undefined && choose(list[0]),
    last: () => {
      const last = list.at(-1);
      if (last !== undefined) choose(last);
    },
    enter: () => {
      if (narrow && !reading && chosen !== null) choose(chosen, true);
      else open(chosen);
    },
    inside: () => {
      if (narrow && !reading && chosen !== null) choose(chosen, true);
      else if (pane.current === null || enterShown(pane.current)) return;
      else if (chosen?.kind === 'request' && index >= 0) wantRequest(chosen.space.id, chosen.key);
      else pane.current.focus();
    },
    dismiss,
    undo,
    leave: () => {
      if (narrow && reading && !empty) back();
      else leave();
    },
  });
  useActions([
    {
      id: 'inbox.next',
      title: t('inbox.nextEntry'),
      section: t('section.weft'),
      keys: 'mod+j',
      run: next,
    },
    { id: 'inbox.close', title: t('inbox.close'), section: t('section.weft'), keys: 'Escape', run: leave },
  ]);

  // The shortcuts belong to the screen: the focus is inside and returns when the focused element disappears.
  useEffect(() => afterDialogs(() => home()?.focus()), [home]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focused element was replaced
  useEffect(() => {
    const active = document.activeElement;
    if (active !== null && active !== document.body) return;
    if (document.querySelector(openOverlays) !== null) return;
    home()?.focus({ preventScroll: true });
  }, [rested, chosen?.key, index, narrow, reading, empty]);

  return (
    <main
      ref={box}
      className="triage"
      data-narrow={narrow || undefined}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      aria-label={t('inbox.title')}
    >
      <div className="triage-side" hidden={!shownList}>
        <div className="triage-top">
          <h1 className="page-title">{t('inbox.title')}</h1>
          <span className="grow" />
          <Tooltip label={t('inbox.close')} keys="Escape">
            <button type="button" className="icon-button" aria-label={t('inbox.close')} onClick={leave}>
              <X size={16} aria-hidden />
            </button>
          </Tooltip>
        </div>
        {!empty && shownList && (
          <>
            <InboxList
              list={list}
              index={index}
              box={listBox}
              onChoose={(entry) => choose(entry, true)}
              onOpen={open}
            />
            <Legend
              answers={!narrow && list.some(({ kind }) => kind === 'request')}
              dismisses={list.some(({ kind }) => kind !== 'request')}
            />
          </>
        )}
        {empty && <Empty way={way} onBack={leave} />}
      </div>
      {!shownList && <h1 className="visually-hidden">{t('inbox.title')}</h1>}
      {shownPane && (
        <section
          ref={pane}
          key={chosen.key}
          className="triage-pane"
          tabIndex={-1}
          data-request-pane
          aria-label={t('inbox.detail')}
        >
          <Detail
            of={chosen}
            gone={index < 0}
            passing={passing}
            onOpen={() => open(chosen)}
            onDismiss={dismiss}
            onNext={() => move(1)}
            onKnown={known}
            onBack={narrow ? back : undefined}
          />
        </section>
      )}
      <p className="visually-hidden" role="status">
        {t('inbox.left', { count: list.length })}
      </p>
    </main>
  );
}

/** The shortcuts that do something for an entry of the list. */
function Legend({ answers, dismisses }: { answers: boolean; dismisses: boolean }) {
  const all = [
    [t('inbox.keys.move'), 'J+K', true],
    [t('inbox.keys.answer'), '1 – 9', answers],
    [t('inbox.keys.dismiss'), 'D', dismisses],
    [t('undo'), 'U', true],
    [t('inbox.keys.enter'), 'ArrowRight', true],
  ] as const;
  const keys = all.filter(([, , works]) => works);
  return (
    <ul className="triage-legend" aria-label={t('keyboard.title')}>
      {keys.map(([title, key]) => (
        <li key={key}>
          <Keys keys={key} /> {title}
        </li>
      ))}
    </ul>
  );
}

function Empty({ way, onBack }: { way: RefObject<HTMLButtonElement | null>; onBack(): void }) {
  return (
    <div className="triage-empty">
      <InboxIcon size={28} strokeWidth={1.5} aria-hidden />
      <p className="triage-empty-title">{t('inbox.empty')}</p>
      <p className="quiet-text">{t('inbox.emptyLead')}</p>
      <button ref={way} type="button" className="button" onClick={onBack}>
        {t('inbox.back')}
      </button>
    </div>
  );
}
