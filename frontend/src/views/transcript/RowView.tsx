import { memo, useRef } from 'react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { MarkdownGroupOf } from '../../markdown';
import { useWeft } from '../../state/weft';
import { memberOf } from '../../transcript/model';
import { ShownCall } from '../displays/ShownCall';
import { Boundary } from '../parts/Boundary';
import { useJustArrived } from '../parts/useJustArrived';
import { useProsePlaces } from '../places/useProsePlaces';
import { GroupView } from '../tools/GroupView';
import { HiddenCalls } from '../tools/HiddenCalls';
import { NestView, useBelow } from '../tools/NestView';
import { ThoughtList } from '../tools/ThoughtView';
import { DisplayView } from './DisplayView';
import { EarlierText } from './EarlierText';
import { ErrorBlock } from './ErrorBlock';
import { EndNote, Header, Opaque } from './marks';
import { Prompt } from './Prompt';
import { labels } from './proseLabels';
import { RunFooter } from './RunFooter';
import { useReading } from './reading';
import type { Row } from './rows';
import { Silence, Working } from './Working';

/** One row of the transcript. An error in it leaves the others readable. */
export const RowView = memo(function RowView({ row }: { row: Row }) {
  const { voices } = useReading();
  const tone = voices !== null && 'message' in row && row.message.role === 'agent' ? voices(row.message) : 0;
  return (
    <Boundary of={row}>
      <div
        className="authored"
        data-row={row.key}
        data-by={speakerOf(row)}
        data-message={'message' in row ? row.message.id : undefined}
        data-tone={tone || undefined}
      >
        <Kind row={row} />
      </div>
    </Boundary>
  );
});

/** The author of the row, for quotes. */
function speakerOf(row: Row): string {
  if (!('message' in row)) return '';
  return row.message.role === 'user' ? t('quote.you') : (row.message.author.name ?? '');
}

function Kind({ row }: { row: Row }) {
  switch (row.kind) {
    case 'prompt':
      return <Prompt message={row.message} />;
    case 'header':
      return <Header message={row.message} live={row.live} follows={row.follows} />;
    case 'prose':
      return (
        <>
          <Prose row={row} />
          {row.cursor && (
            <div className="row threaded" data-kind="silence">
              <Silence message={row.message} />
            </div>
          )}
        </>
      );
    case 'earlier':
      return <EarlierText messageId={row.message.id} segment={row.segment} bytes={row.bytes} />;
    case 'group':
      return (
        <Threaded kind="group" at={row.group.items[0]?.startedAt ?? 0}>
          <GroupView
            id={row.key}
            messageId={row.message.id}
            segment={row.segment}
            group={row.group}
            growing={row.growing}
            past={row.past}
            nests={row.nests}
          />
        </Threaded>
      );
    case 'shown':
      return (
        <Threaded kind="shown" at={row.call.startedAt}>
          <Shown row={row} />
        </Threaded>
      );
    case 'nest':
      return (
        <Threaded kind="group">
          <NestView nest={row.nest} messageId={row.message.id} />
        </Threaded>
      );
    case 'thoughts':
      return (
        <Threaded kind="group">
          <ThoughtList messageId={row.message.id} thoughts={row.thoughts} />
        </Threaded>
      );
    case 'display':
      return (
        <Threaded kind="prose">
          <DisplayView content={row.segment.display} />
        </Threaded>
      );
    case 'hidden':
      return (
        <Threaded kind="note">
          <HiddenCalls messageId={row.message.id} calls={row.calls} shown={row.shown} />
        </Threaded>
      );
    case 'working':
      return <Working message={row.message} />;
    case 'tail':
      return (
        <Threaded kind="tail">
          <div className="tail-line">
            <span className="cursor" aria-hidden />
            <Silence message={row.message} />
          </div>
        </Threaded>
      );
    case 'opaque':
      return (
        <Threaded kind="note">
          <Opaque message={row.message} />
        </Threaded>
      );
    case 'error':
      return (
        <Threaded kind="note" at={row.message.endedAt}>
          <ErrorBlock
            failure={row.failure}
            last={row.last}
            memberId={memberOf(row.message.author)}
            messageId={row.message.id}
          />
        </Threaded>
      );
    case 'space-error':
      return (
        <Threaded kind="note">
          <ErrorBlock failure={row.failure} last memberId="" />
        </Threaded>
      );
    case 'footer':
      return (
        <Threaded kind="footer">
          <RunFooter message={row.message} />
        </Threaded>
      );
    case 'end':
      return (
        <Threaded kind="note" at={row.message.endedAt}>
          <EndNote stopReason={row.stopReason} />
        </Threaded>
      );
  }
}

/** A row on the thread. */
function Threaded({ kind, at = 0, children }: { kind: string; at?: number; children: React.ReactNode }) {
  const arrives = useJustArrived(at);
  return (
    <div className="row threaded" data-kind={kind} data-arrives={arrives || undefined}>
      {children}
    </div>
  );
}

function Shown({ row }: { row: Row & { kind: 'shown' } }) {
  const { call, message, segment, item } = row;
  const below = useBelow(row.nest, message.id, call);
  return <ShownCall call={call} messageId={message.id} segment={segment} item={item} below={below} />;
}

function Prose({ row }: { row: Row & { kind: 'prose' } }) {
  const weft = useWeft();
  const { session, hold } = useReading();
  const root = useRef<HTMLDivElement>(null);
  const menu = useProsePlaces(root, session.spaceId);
  return (
    <div
      ref={root}
      className="row threaded prose"
      data-kind="prose"
      data-cursor={row.cursor}
      data-voice={row.voice || undefined}
    >
      <MarkdownGroupOf
        document={row.document}
        of={row.group}
        labels={labels}
        onOpenLink={(url) => openLink(weft, url)}
        onFold={hold}
      />
      {menu}
    </div>
  );
}
