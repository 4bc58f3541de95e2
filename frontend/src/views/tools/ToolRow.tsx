import { ChevronRight, EyeOff } from 'lucide-react';
import { memo, type ReactElement, useEffect, useRef } from 'react';
import { t } from '../../i18n';
import type { ToolCall } from '../../transcript/model';
import { isOpen } from '../../transcript/model';
import { openRequest } from '../../transcript/waiting';
import { SentenceWithCounts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { count, durationOrEmpty, running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { Decided } from '../permissions/Decided';
import { kindOf } from '../permissions/words';
import { copyLink } from '../places/copyLink';
import { noScrolling } from '../places/PlaceLink';
import { useFolder, usePlaceActions } from '../places/usePlaceActions';
import { RequestCard } from '../requests/RequestCard';
import { useDisclosure } from '../transcript/disclosure';
import { useReading } from '../transcript/reading';
import {
  askedTitle,
  errorShown,
  isQuestion,
  statusShown,
  summaryBesideTitle,
  titleShown,
  verbTitle,
} from './callWords';
import { firstLine, readTitle } from './command';
import { Knot } from './Knot';
import { KindIcon } from './kinds';
import { useLookMenu } from './LookMenu';
import { RetryCall } from './RetryCall';
import { Title, useExactPlace, useTitlePlace } from './TitlePlace';
import { ToolDetail } from './ToolDetail';
import { lastLine, runningIn } from './terminal';
import { useCopyCommand } from './useCopyCommand';
import { shownLines, WritesTitle, WritingView } from './WritingView';
import { isWritten, shownOf, sizeOf } from './writing';

interface ToolRowProps {
  id: string;
  call: ToolCall;
  messageId: string;
  segment: number;
  item: number;
  /** Calls nested below it. */
  below?: ReactElement | undefined;
  /** Other text follows its message. */
  past?: boolean;
  /** Whether a pending request of it is shown as a card here. */
  asks?: boolean;
}

/** One tool call: a line on the thread, with its details below. */
export const ToolRow = memo(function ToolRow({
  id,
  call,
  messageId,
  segment,
  item,
  below,
  past = false,
  asks = true,
}: ToolRowProps) {
  const { disclosures, hold, session } = useReading();
  const chosen = useDisclosure(disclosures, id);
  const bare = call.visibility === 'minimal';
  const shown = !bare && isWritten(call) ? shownOf(call) : null;
  const request = openRequest(call);
  // A row that opened automatically stays open when the text is complete, as its diff or command, so that nothing
  // disappears while it is read. A question shows the same while it is pending.
  const byItself = `${id}:written`;
  const wasWritten = useDisclosure(disclosures, byItself) ?? false;
  const asSent = `${id}:sent`;
  const sentShown = useDisclosure(disclosures, asSent) ?? false;
  const opens = shown !== null && !wasWritten;
  useEffect(() => {
    if (opens) disclosures.set(byItself, true);
  }, [opens, disclosures, byItself]);
  const lines = useRef(0);
  if (shown !== null) lines.current = Math.min(shownLines, shown.lines);
  const open = !bare && (chosen ?? (shown !== null || (wasWritten && !(request !== undefined && asks))));
  const asked = request !== undefined && asks;
  const runs = runningIn(call);
  const { line: says, sent } = readTitle(call);
  const folder = useFolder(session.spaceId);
  const title = oneLine(
    (call.kind === 'execute' ? firstLine(says) : verbTitle(call, titleShown(says, call.toolName), folder)) ||
      call.toolName ||
      t('tool.untitled'),
  );
  const named = useTitlePlace(call, title);
  const place = useExactPlace(call, { messageId, segment, item }, title, named);
  const actions = usePlaceActions(session.spaceId);
  const row = useRef<HTMLButtonElement>(null);
  const onCopyCommand = useCopyCommand(call, { messageId, segment, item });
  const { menu, onContextMenu } = useLookMenu({
    call,
    messageId,
    onCopyCommand: call.kind === 'execute' ? onCopyCommand : undefined,
    onCopyLink: () => copyLink(session.spaceId, { messageId, segment, item }),
    onShowSent: bare
      ? undefined
      : () => {
          hold();
          disclosures.set(id, true);
          disclosures.set(asSent, !sentShown);
        },
    place: place && {
      onPreview: () => void actions.preview(place, row.current),
      onEdit: () => void actions.edit(place),
      onCopy: () => void actions.copy(place),
    },
  });
  /** Reports whether an event targets the path in the title. */
  const onPlace = (event: React.MouseEvent) =>
    place !== null &&
    window.getSelection()?.isCollapsed !== false &&
    (event.target as Element).closest('.title-place') !== null &&
    actions.onClick(event, place, row.current as HTMLElement);
  // A failure that was seen, or followed by other text, is no longer highlighted.
  const seen = past || chosen !== undefined;
  // A rejected call is not a failure, whatever the agent reports.
  const failed = call.error !== '' && call.status !== 'rejected';
  const note =
    shown !== null
      ? sizeOf(shown)
      : failed
        ? open && !(call.kind === 'execute' && call.error.startsWith('Exit code '))
          ? '' // it is said below
          : errorShown(call)
        : bare
          ? ''
          : runs !== null
            ? lastLine(runs.text)
            : summaryBesideTitle(call, title);
  // A question is never hidden.
  const canLook = !isQuestion(call);
  // While permission is requested, what the call would do comes before the agent's title.
  const does =
    shown === null && asked && !isQuestion(call)
      ? (askedTitle(call, request, folder) ?? t(`request.kinds.${kindOf(call.kind)}`))
      : undefined;
  const line = (
    <>
      <Knot status={call.status} past={seen} />
      <KindIcon kind={call.kind} />
      {call.revealed === true && (
        <EyeOff className="tool-hidden" size={13} role="img" aria-label={t('looks.isHidden')} />
      )}
      <span dir="auto" className="tool-title truncate" title={sent !== '' ? oneLine(sent) : does}>
        {shown === null ? (
          does !== undefined ? (
            does
          ) : (
            <Title text={title} named={named} />
          )
        ) : (
          <WritesTitle call={call} />
        )}
      </span>
      {!bare && call.resultCount !== undefined && call.resultCount > 1 && !counts(note, call.resultCount) && (
        <span
          className="badge tabular"
          title={t('tool.results', { count: call.resultCount, n: count(call.resultCount) })}
        >
          {count(call.resultCount)}
        </span>
      )}
      {note !== '' && (
        <span
          dir="auto"
          className="tool-note truncate"
          data-error={failed && !seen}
          data-live={runs !== null && shown === null}
        >
          {!failed ? <SentenceWithCounts text={oneLine(note)} /> : oneLine(note)}
        </span>
      )}
      <Time call={call} />
    </>
  );
  return (
    <div
      className="tool"
      data-status={call.status}
      data-open={open}
      data-bare={bare || undefined}
      data-kind={call.kind === 'execute' ? 'execute' : undefined}
      data-revealed={call.revealed}
      data-writing={shown !== null || undefined}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it opens the same menu */}
      <div className="tool-head" onContextMenu={canLook ? onContextMenu : undefined}>
        {bare ? (
          <div className="tool-line">{line}</div>
        ) : (
          <button
            ref={row}
            type="button"
            className="tool-line"
            aria-expanded={open}
            onMouseDown={named === null ? undefined : noScrolling}
            onAuxClick={(event) => void onPlace(event)}
            onKeyDown={(event) => {
              // Plain Enter opens the row.
              if (place !== null && (event.ctrlKey || event.metaKey))
                actions.onKey(event, place, event.currentTarget);
            }}
            onClick={(event) => {
              if (onPlace(event)) return;
              hold();
              disclosures.set(id, !open);
            }}
          >
            {line}
            <ChevronRight className="chevron" size={14} aria-hidden />
          </button>
        )}
        {canLook && menu}
      </div>
      {asked && (
        <RequestCard call={call} request={request} messageId={messageId} segment={segment} item={item} />
      )}
      {call.permissions.length > 0 && !isQuestion(call) && <Decided call={call} />}
      {call.retryable && <RetryCall call={call} messageId={messageId} />}
      {below}
      {open && shown !== null && <WritingView call={call} text={shown} />}
      {open && shown === null && (
        <ToolDetail
          call={call}
          messageId={messageId}
          segment={segment}
          item={item}
          written={wasWritten ? lines.current : undefined}
          sent={sentShown}
        />
      )}
    </div>
  );
});

/** Reports whether a note states the number of results: "Read 11 lines". */
function counts(note: string, results: number): boolean {
  return note.replaceAll(/[\s,.'’\u202f]/g, '').includes(String(results));
}

function Time({ call }: { call: ToolCall }) {
  const live = call.status === 'running' && call.startedAt > 0;
  const now = useSeconds(live);
  if (live) {
    const past = now - call.startedAt;
    return past >= 1000 ? <span className="tool-time tabular">{running(past)}</span> : null;
  }
  if (call.status === 'waiting' || call.status === 'rejected' || call.status === 'cancelled') {
    if (call.status === 'cancelled' && call.summary !== '') return null; // the summary is more informative
    const waits = call.status === 'waiting' ? ' tool-waits' : '';
    const says = statusShown(call);
    return <span className={`tool-time${waits}`}>{says}</span>;
  }
  if (isOpen(call.status)) return null;
  if (call.terminals.some(({ running }) => running))
    return <span className="tool-time tool-runs">{t('terminal.runsOn')}</span>;
  return <span className="tool-time tabular">{durationOrEmpty(call.durationMs)}</span>;
}
