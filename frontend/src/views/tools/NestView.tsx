import { ChevronRight } from 'lucide-react';
import { type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { type MarkdownDocument, MarkdownView } from '../../markdown';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { isDisplay } from '../../transcript/displays';
import { isOpen, type TextSegment, type ToolCall } from '../../transcript/model';
import { lastWords, latestOf, type Nest, type NestPiece, nestFacts, nestStatus } from '../../transcript/nest';
import type { SpacePlace } from '../../transport/api';
import { ShownCall } from '../displays/ShownCall';
import { oneLine } from '../parts/clean';
import { count, duration } from '../parts/numbers';
import { DisplayView } from '../transcript/DisplayView';
import { useDisclosure } from '../transcript/disclosure';
import { EarlierText } from '../transcript/EarlierText';
import { ProseDocuments } from '../transcript/prose';
import { labels } from '../transcript/proseLabels';
import { useReading } from '../transcript/reading';
import { Knot } from './Knot';
import { ThoughtView } from './ThoughtView';
import { ToolRow } from './ToolRow';

/** Pieces shown at first, and added by each "previous". */
const more = 50;

interface NestProps {
  nest: Nest;
  messageId: string;
  /** The parent call, if it is in memory. */
  call?: ToolCall | undefined;
}

/** The work of a sub-agent: one line with its current activity, and all of it below. */
export function NestView({ nest, messageId, call }: NestProps) {
  const { disclosures, hold } = useReading();
  const key = `${messageId}:nest:${nest.parent}`;
  const chosen = useDisclosure(disclosures, key);
  const facts = nestFacts(nest);
  const open = chosen ?? facts.waiting > 0;
  const live = facts.open > 0 || (call !== undefined && isOpen(call.status));
  const status = nestStatus(facts, call?.status);
  const now = live ? latest(nest) : '';
  const summary = summaryOf(nest);
  return (
    <section className="nest" data-open={open} data-status={status}>
      <button
        type="button"
        className="nest-line"
        aria-expanded={open}
        onClick={() => {
          hold();
          disclosures.set(key, !open);
        }}
      >
        <Knot status={status} />
        <span className="nest-who">{t('nest.label')}</span>
        {facts.waiting > 0 ? (
          <span className="nest-now nest-waits truncate">{t('nest.waits')}</span>
        ) : (
          <span className="nest-now truncate" data-live={now !== ''}>
            {now !== '' ? now : summary}
          </span>
        )}
        {now !== '' && <span className="nest-count tabular">{summary}</span>}
        <ChevronRight className="chevron" size={14} aria-hidden />
      </button>
      {open ? (
        <Pieces nest={nest} messageId={messageId} live={live} />
      ) : (
        facts.waiting > 0 && <Waiting nest={nest} messageId={messageId} />
      )}
    </section>
  );
}

/** Renders what is nested below a call; the same element until it or the call changes. */
export function useBelow(
  nest: Nest | undefined,
  messageId: string,
  call: ToolCall | undefined,
): ReactElement | undefined {
  return useMemo(
    () => (nest === undefined ? undefined : <NestView nest={nest} messageId={messageId} call={call} />),
    [nest, messageId, call],
  );
}

/** The current activity in a line. */
function latest(nest: Nest): string {
  const what = latestOf(nest);
  if (what === null) return '';
  if (what === 'thought') return t('thought.growing');
  if (!('type' in what)) return oneLine(lastWords(what));
  return oneLine(what.title || what.toolName || t('tool.untitled'));
}

/** "12 calls, 3 files changed, 1 min 4 s". */
function summaryOf(nest: Nest): string {
  const { calls, files, failed, tookMs } = nestFacts(nest);
  const parts = [
    calls > 0 ? t('nest.calls', { count: calls, n: count(calls) }) : t('nest.words'),
    files > 0 && t('nest.files', { count: files, n: count(files) }),
    failed > 0 && t('nest.failed', { count: failed, n: count(failed) }),
    tookMs >= 1000 && duration(tookMs),
  ];
  return joinFacts(parts.filter((part) => part !== false));
}

function Pieces({ nest, messageId, live }: { nest: Nest; messageId: string; live: boolean }) {
  const { hold, spot } = useReading();
  const [shown, setShown] = useState(more);
  // A navigation target is never left out.
  const target = useStore(spot, ({ target }) => (target?.opens === true ? target.place : null));
  useLayoutEffect(() => {
    if (target?.messageId !== messageId) return;
    const at = nest.pieces.findIndex((piece) => reaches(piece, target));
    if (at >= 0) setShown((now) => Math.max(now, nest.pieces.length - at));
  }, [target, messageId, nest]);
  const first = Math.max(0, nest.pieces.length - shown);
  return (
    <>
      {first > 0 && (
        <button
          type="button"
          className="group-more"
          onClick={() => {
            hold();
            setShown(shown + more);
          }}
        >
          {t('nest.previous', { count: first, n: count(first) })}
        </button>
      )}
      <ul className="nest-rows">
        {nest.pieces.slice(first).map((piece, i) => (
          <PieceRow
            key={keyOf(piece)}
            piece={piece}
            messageId={messageId}
            growing={live && first + i === nest.pieces.length - 1}
          />
        ))}
      </ul>
    </>
  );
}

/** Reports whether a location is a piece or nested below it. */
function reaches(piece: NestPiece, place: SpacePlace): boolean {
  if (
    piece.segment === place.segment &&
    (piece.type !== 'item' || place.item < 0 || piece.index === place.item)
  )
    return true;
  return piece.type === 'item' && piece.nest?.pieces.some((deeper) => reaches(deeper, place)) === true;
}

function keyOf(piece: NestPiece): string {
  return piece.type === 'item' ? `${piece.segment}:${piece.index}` : `${piece.segment}`;
}

interface PieceProps {
  piece: NestPiece;
  messageId: string;
  growing: boolean;
}

function PieceRow({ piece, messageId, growing }: PieceProps) {
  const { segment } = piece;
  if (piece.type === 'text') {
    return (
      <li className="nest-text" data-at={`${messageId}:${segment}`}>
        <NestText texts={piece.texts} messageId={messageId} segment={segment} ended={!growing} />
      </li>
    );
  }
  if (piece.type === 'display') {
    return (
      <li className="nest-text" data-at={`${messageId}:${segment}`}>
        <DisplayView content={piece.display.display} />
      </li>
    );
  }
  return <ItemRow piece={piece} messageId={messageId} growing={growing} />;
}

function ItemRow({ piece, messageId, growing }: PieceProps & { piece: NestPiece & { type: 'item' } }) {
  const { segment, item, index, nest } = piece;
  const id = `${messageId}:${segment}:${index}`;
  const below = useBelow(nest, messageId, item.type === 'tool_call' ? item : undefined);
  return (
    <li className="group-item" data-at={id}>
      {item.type === 'thought' ? (
        <ThoughtView id={id} thought={item} growing={growing} />
      ) : isDisplay(item) ? (
        <ShownCall call={item} messageId={messageId} segment={segment} item={index} below={below} />
      ) : (
        <ToolRow id={id} call={item} messageId={messageId} segment={segment} item={index} below={below} />
      )}
    </li>
  );
}

/** The requests of a nest that the user closed: they are never hidden. */
function Waiting({ nest, messageId }: { nest: Nest; messageId: string }) {
  return (
    <ul className="nest-rows">
      {nest.pieces
        .filter(
          (piece) =>
            piece.type === 'item' &&
            piece.item.type === 'tool_call' &&
            (piece.item.status === 'waiting' ||
              (piece.nest !== undefined && nestFacts(piece.nest).waiting > 0)),
        )
        .slice(0, more)
        .map((piece) => (
          <PieceRow key={keyOf(piece)} piece={piece} messageId={messageId} growing={false} />
        ))}
    </ul>
  );
}

interface NestTextProps {
  texts: readonly TextSegment[];
  messageId: string;
  segment: number;
  ended: boolean;
}

/** Text of a sub-agent. It is only parsed where it is shown. */
function NestText({ texts, messageId, segment, ended }: NestTextProps) {
  const weft = useWeft();
  const documents = useRef<ProseDocuments | null>(null);
  const [document, setDocument] = useState<MarkdownDocument | null>(null);
  useLayoutEffect(() => {
    documents.current ??= new ProseDocuments(() => {});
    setDocument(
      documents.current.of(
        texts.map(({ text }) => text),
        ended,
      ),
    );
  }, [texts, ended]);
  const cut = texts[0]?.textStart ?? 0;
  return (
    <>
      {cut > 0 && <EarlierText messageId={messageId} segment={segment} bytes={cut} />}
      {document !== null && (
        <MarkdownView document={document} labels={labels} onOpenLink={(url) => openLink(weft, url)} />
      )}
    </>
  );
}
