import { Inbox as InboxIcon, X } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { markSeen } from '../../commands/spaces';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';
import { Hint } from '../parts/Hint';
import { Keys } from '../parts/Keys';
import { over } from '../parts/over';
import { useRoom } from '../parts/useRoom';
import { enterShown, wantRequest } from '../tools/requests';
import { Detail } from './Detail';
import { InboxList } from './InboxList';
import { useInboxKeys } from './useInboxKeys';
import { useRested } from './useRested';
import { useTakeBack } from './useTakeBack';
import { useTriage } from './useTriage';
import './inbox-screen.css';

/** From this width on, in pixels, there is room for the list and what it is about. */
const bothColumns = [720];

/** All that waits for the user in all spaces: the list, and beside it what the chosen entry is about. */
export function InboxScreen() {
  const weft = useWeft();
  const triage = useTriage();
  const { list, index, chosen, choose, move, next, known } = triage;
  const takeBack = useTakeBack(triage);
  const reading = useStore(weft.shown, (state) => state.inbox.reading);
  const box = useRef<HTMLElement>(null);
  const listBox = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const way = useRef<HTMLButtonElement>(null);
  const narrow = useRoom(box, bothColumns) === 0;
  const empty = list.length === 0;
  const shownList = !narrow || !reading || empty;
  const shownPane = !empty && chosen !== null && (!narrow || reading);
  const rested = useRested(chosen?.key ?? null);
  const passing = rested !== chosen?.key;

  /** Where the focus is by itself: on what shows it, which in an empty inbox is the way out. */
  const home = useCallback(() => listBox.current ?? pane.current ?? way.current ?? box.current, []);
  const leave = () => weft.leaveInbox();
  const back = () => weft.shown.set({ inbox: { ...weft.shown.get().inbox, reading: false } });
  const open = (entry: Pending | null) => {
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
    // Only what is shown is answered, and only while it is what is chosen.
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
    takeBack,
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

  // The keys are those of the screen: the focus is in it, and comes back when what had it goes away.
  useEffect(() => afterDialogs(() => home()?.focus()), [home]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry, or another half of the screen, has replaced what had it
  useEffect(() => {
    const active = document.activeElement;
    if (active !== null && active !== document.body) return;
    if (document.querySelector(over) !== null) return;
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
          <Hint label={t('inbox.close')} keys="Escape">
            <button type="button" className="icon-button" aria-label={t('inbox.close')} onClick={leave}>
              <X size={16} aria-hidden />
            </button>
          </Hint>
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
            <Legend />
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

/** The keys of the list. */
function Legend() {
  const keys = [
    [t('inbox.keys.move'), 'J+K'],
    [t('inbox.keys.answer'), '1 – 9'],
    [t('inbox.keys.dismiss'), 'D'],
    [t('undo'), 'U'],
    [t('inbox.keys.enter'), 'ArrowRight'],
  ] as const;
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
