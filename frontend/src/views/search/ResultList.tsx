import { AlertCircle, Bot, Brain, MessageSquare, SquareTerminal, StickyNote, User } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import type { SearchHit } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { count, exact, since } from '../parts/numbers';
import { lastName } from '../parts/paths';
import { useMinutes } from '../parts/useNow';
import { type Choice, canBeChosen, type Line } from './lines';
import { Pieces } from './Pieces';
import { kindOf } from './words';

interface ResultListProps {
  id: string;
  lines: readonly Line[];
  chosen: string | null;
  scroller: RefObject<HTMLDivElement | null>;
  busy: boolean;
  onChoose(choice: Choice): void;
  onOpen(choice: Choice): void;
}

/** The results as a virtual list. The focus stays in the search field. */
export function ResultList({ id, lines, chosen, scroller, busy, onChoose, onOpen }: ResultListProps) {
  const handle = useRef<VirtualizerHandle>(null);
  const at = lines.findIndex((line) => canBeChosen(line) && line.key === chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another match may have the same index
  useEffect(() => {
    // Include the heading above the first match.
    if (at >= 0) handle.current?.scrollToIndex(at === 1 ? 0 : at, { align: 'nearest' });
  }, [at, chosen]);
  return (
    <div
      ref={scroller}
      id={id}
      className="search-list"
      role="listbox"
      aria-label={t('search.results')}
      aria-busy={busy}
    >
      <Virtualizer
        ref={handle}
        data={lines}
        scrollRef={scroller}
        bufferSize={300}
        keepMounted={at < 0 ? [] : [at]}
      >
        {(line, index) => (
          <LineView
            key={keyOfLine(line)}
            id={`${id}-${index}`}
            line={line}
            chosen={canBeChosen(line) && line.key === chosen}
            onChoose={onChoose}
            onOpen={onOpen}
          />
        )}
      </Virtualizer>
    </div>
  );
}

function keyOfLine(line: Line): string {
  if (canBeChosen(line)) return line.key;
  return line.kind === 'space' ? `space/${line.space.id}` : line.kind;
}

interface LineViewProps {
  id: string;
  line: Line;
  chosen: boolean;
  onChoose(choice: Choice): void;
  onOpen(choice: Choice): void;
}

function LineView({ id, line, chosen, onChoose, onOpen }: LineViewProps) {
  if (line.kind === 'titles') {
    return (
      <div className="search-group" role="presentation">
        {t('search.titles')}
      </div>
    );
  }
  if (line.kind === 'space') {
    const { title, folder, archived } = line.space;
    // Folders created by Weft are named by an id.
    const own = /^[0-9a-f]{16}$/.test(lastName(folder));
    return (
      <div className="search-group" role="presentation">
        <span className="search-space truncate">{oneLine(title) || t('space.untitled')}</span>
        {!own && <span className="search-folder truncate">{lastName(folder)}</span>}
        {archived === true && <span className="search-folder truncate">{t('search.archived')}</span>}
        <span className="grow" />
        <span className="quiet-text tabular">{count(line.count)}</span>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
    <div
      id={id}
      className="search-line"
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(line)}
      onDoubleClick={() => onOpen(line)}
    >
      {line.kind === 'hit' && <HitWords hit={line.hit} />}
      {line.kind === 'title' && (
        <span className="search-snippet">
          <Pieces of={line.title.pieces} />
        </span>
      )}
      {line.kind === 'rest' && <span className="search-rest">{t('search.rest', { count: line.count })}</span>}
      {line.kind === 'more' && <span className="search-rest">{t('search.more')}</span>}
    </div>
  );
}

const icons = {
  prompt: User,
  answer: Bot,
  thought: Brain,
  call: SquareTerminal,
  display: MessageSquare,
  note: StickyNote,
};

function HitWords({ hit }: { hit: SearchHit }) {
  const now = useMinutes();
  const Icon = hit.failed === true ? AlertCircle : icons[hit.kind];
  return (
    <>
      <span className="search-kind" data-failed={hit.failed}>
        <Icon size={13} aria-hidden />
        <span className="search-title truncate">{kindOf(hit)}</span>
        {hit.failed === true && <span className="visually-hidden">{t('search.failed')}</span>}
        <span className="grow" />
        <time title={exact(hit.at)} dateTime={new Date(hit.at).toISOString()}>
          {since(hit.at, now)}
        </time>
      </span>
      <span className="search-snippet">
        <Pieces of={hit.snippet} />
      </span>
    </>
  );
}
