import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import type { Session } from '../../state/session';
import { partsOf } from '../../transcript/displays';
import { callCount, groupLabel } from '../../transcript/labels';
import type { Conversation, Segment, ToolCall } from '../../transcript/model';
import { segmentEnd } from '../../transcript/model';
import { waitingDisplays, waitingRequests } from '../../transcript/waiting';
import { oneLine } from '../parts/clean';
import { words } from '../tools/words';

/** Says each finished segment once, and each question at once, to those who listen. */
export function Announcer({ session }: { session: Session }) {
  const [said, setSaid] = useState('');
  const [asked, setAsked] = useState('');
  const seen = useRef({
    message: '',
    segments: 0,
    ended: true,
    requests: new Set<string>(),
    displays: new Set<string>(),
  });
  useEffect(() => {
    const look = (first: boolean) => {
      const { conversation } = session.store.get();
      const news = finished(conversation, seen.current);
      if (!first && news !== '') setSaid(news);
      const open = waitingRequests(conversation);
      const fresh = open.find((request) => !seen.current.requests.has(request.requestId));
      seen.current.requests = new Set(open.map((request) => request.requestId));
      if (fresh !== undefined) setAsked(t('permission.announced', { title: fresh.call.title }));
      const displays = waitingDisplays(conversation);
      const shown = displays.find((call) => !seen.current.displays.has(call.toolCallId));
      seen.current.displays = new Set(displays.map((call) => call.toolCallId));
      if (shown !== undefined) setAsked(t('displays.announced', { title: nameOf(shown) }));
    };
    look(true);
    return session.store.subscribe(() => look(false));
  }, [session]);
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      <div className="visually-hidden" role="alert">
        {asked}
      </div>
    </>
  );
}

/** The text of segments that are finished since the last look. */
function finished(
  conversation: Conversation,
  seen: { message: string; segments: number; ended: boolean },
): string {
  const last = conversation.messages.at(-1);
  if (last === undefined || last.role === 'user') return '';
  const ended = last.endedAt > 0;
  const upTo = ended ? segmentEnd(last) : segmentEnd(last) - 1;
  const from = last.id === seen.message ? seen.segments : 0;
  if (last.id === seen.message && upTo <= from && ended === seen.ended) return '';
  const news = last.segments.slice(
    Math.max(0, from - last.firstSegment),
    Math.max(0, upTo - last.firstSegment),
  );
  const parts = news.map(spoken);
  if (ended && !(last.id === seen.message && seen.ended)) parts.push(t('transcript.finished'));
  Object.assign(seen, { message: last.id, segments: Math.max(from, upTo), ended });
  return parts.join(' ');
}

const longest = 2000;

function spoken(segment: Segment): string {
  if (segment.type === 'text') return segment.text.toString().slice(0, longest);
  if (segment.type !== 'tool-group' || callCount(segment) === 0) return '';
  const parts = partsOf(segment, 0);
  if (parts === null) return groupLabel(segment, words);
  // What is still asked was said when it was asked.
  return parts
    .map((part) =>
      part.type === 'group'
        ? groupLabel(part.group, words)
        : part.call.status === 'waiting'
          ? ''
          : t('displays.shown', { title: nameOf(part.call) }),
    )
    .join('. ');
}

/** What a display is called, by its line: of what it shows not all may be here. */
function nameOf({ title, toolName }: ToolCall): string {
  return oneLine(title || toolName || t('displays.kind.other')).slice(0, longest);
}
