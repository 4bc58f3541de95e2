import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { sentences } from '../../i18n/formats';
import { spelled } from '../../keyboard/actions';
import { isShared } from '../../state/members';
import type { Session } from '../../state/session';
import { partsOf } from '../../transcript/displays';
import { callCount, groupLabel } from '../../transcript/labels';
import type { Conversation, Segment, ToolCall } from '../../transcript/model';
import { segmentEnd } from '../../transcript/model';
import { type WaitingRequest, waitingDisplays, waitingRequests } from '../../transcript/waiting';
import { oneLine } from '../parts/clean';
import { questionTool } from '../questions/QuestionCard';
import { headlineOf } from '../requests/headline';
import { readingOf } from '../requests/readingOf';
import { words } from '../tools/words';

/** So long what there is to say is gathered, in milliseconds: what replaces it any sooner is not spoken. */
const gathers = 150;

/** Says each finished segment once, and each question, to those who listen. */
export function Announcer({ session }: { session: Session }) {
  const [said, setSaid] = useState('');
  const [asked, setAsked] = useState('');
  const seen = useRef({ requests: new Set<string>(), displays: new Set<string>() });
  const spoken = useRef(new Spoken());
  useEffect(() => {
    const look = (first: boolean) => {
      const { conversation, space } = session.store.get();
      const news = spoken.current.news(conversation, space !== null && isShared(space), first);
      if (news !== '') setSaid(news);
      const open = waitingRequests(conversation);
      const fresh = open.find((request) => !seen.current.requests.has(request.requestId));
      seen.current.requests = new Set(open.map((request) => request.requestId));
      if (fresh !== undefined) setAsked(wordsOfRequest(conversation, fresh, space?.folder ?? ''));
      const displays = waitingDisplays(conversation);
      const shown = displays.find((call) => !seen.current.displays.has(call.toolCallId));
      seen.current.displays = new Set(displays.map((call) => call.toolCallId));
      if (shown !== undefined)
        setAsked(t('displays.announced', { title: nameOf(shown), keys: spelled('mod+shift+j') }));
    };
    look(true);
    // Not in the frame that shows it: of several in a row, nothing but the last would be spoken.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = session.store.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look(false);
      }, gathers);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [session]);
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {asked}
      </div>
    </>
  );
}

/** Who asks for what: what would run goes before what the agent calls it. */
function wordsOfRequest(
  { messages }: Conversation,
  { call, permission, messageId }: WaitingRequest,
  folder: string,
): string {
  const author = messages.find(({ id }) => id === messageId)?.author.name ?? '';
  const agent = oneLine(author) || t('request.theAgent');
  const keys = spelled('mod+shift+j');
  if (call.toolName === questionTool) return t('displays.announced', { title: nameOf(call), keys });
  const { kind, input, locations } = call;
  const reading = permission.reading ?? readingOf({ kind, input, folder, locations: locations ?? [] });
  const diffs = (call.content ?? []).filter(({ type }) => type === 'diff');
  return t('permission.announced', { agent, what: headlineOf({ reading, diffs }, call), keys });
}

/** What was said already, of every message. Several may be written at a time. */
class Spoken {
  private readonly upTo = new Map<string, { segments: number; ended: boolean }>();
  private newest = 0;

  /** The text of segments that are finished since the last look; of several who write, with the name. */
  news({ messages }: Conversation, named: boolean, quiet: boolean): string {
    const parts: string[] = [];
    for (const message of messages) {
      if (message.role === 'user') continue;
      const before = this.upTo.get(message.id);
      if (before?.ended) continue;
      const ended = message.endedAt > 0;
      const segments = ended ? segmentEnd(message) : Math.max(0, segmentEnd(message) - 1);
      this.upTo.set(message.id, { segments: Math.max(before?.segments ?? 0, segments), ended });
      // Of what is loaded from before, nothing is news.
      if (quiet || (before === undefined && message.ord <= this.newest)) continue;
      const from = Math.max(0, (before?.segments ?? 0) - message.firstSegment);
      const fresh = message.segments.slice(from, Math.max(0, segments - message.firstSegment)).map(wordsOf);
      if (ended) fresh.push(t('transcript.finished'));
      const said = sentences(fresh);
      if (said !== '')
        parts.push(named ? t('labeled', { label: oneLine(message.author.name ?? ''), text: said }) : said);
    }
    this.newest = Math.max(this.newest, messages.at(-1)?.ord ?? 0);
    return sentences(parts);
  }
}

const longest = 2000;

function wordsOf(segment: Segment): string {
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
