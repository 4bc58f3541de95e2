import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { sentences } from '../../i18n/formats';
import { spelled } from '../../keyboard/actions';
import { plainText } from '../../markdown';
import { isShared } from '../../state/members';
import type { Session } from '../../state/session';
import { partsOf } from '../../transcript/displays';
import { callCount, groupLabel } from '../../transcript/labels';
import type { Conversation, Message, Segment, ToolCall } from '../../transcript/model';
import { segmentEnd } from '../../transcript/model';
import type { Failure } from '../../transcript/types';
import { type WaitingRequest, waitingDisplays, waitingRequests } from '../../transcript/waiting';
import { sentenceOf } from '../errors/sentence';
import { oneLine } from '../parts/clean';
import { LiveRegion, type Speaker } from '../parts/LiveRegion';
import { headlineOf } from '../requests/headline';
import { readingOf } from '../requests/readingOf';
import { isQuestion, titleShown } from '../tools/callWords';
import { words } from '../tools/words';
import { textShown } from './notes';
import { stopWords } from './stopWords';

/** So long what there is to say is gathered, in milliseconds: what replaces it any sooner is not spoken. */
const gathers = 150;

/** Says each finished segment once, how turns end, and each question, to those who listen. */
export function Announcer({ session }: { session: Session }) {
  const said = useRef<Speaker>(null);
  const asked = useRef<Speaker>(null);
  useEffect(() => {
    const spoken = new Spoken();
    let requests = new Set<string>();
    let displays = new Set<string>();
    let failure: Failure | null = null;
    const look = (first: boolean) => {
      const { conversation, space } = session.store.get();
      said.current?.say(spoken.news(conversation, space !== null && isShared(space), first));
      if (conversation.error !== failure && conversation.error !== null && !first)
        said.current?.say(sentenceOf(conversation.error, undefined));
      failure = conversation.error;
      const open = waitingRequests(conversation);
      for (const request of open)
        if (!requests.has(request.requestId))
          asked.current?.say(wordsOfRequest(conversation, request, space?.folder ?? ''));
      requests = new Set(open.map((request) => request.requestId));
      const shown = waitingDisplays(conversation);
      for (const call of shown)
        if (!displays.has(call.toolCallId))
          asked.current?.say(t('displays.announced', { title: titleOf(call), keys: spelled('mod+shift+j') }));
      displays = new Set(shown.map((call) => call.toolCallId));
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
      <LiveRegion ref={said} />
      <LiveRegion ref={asked} many={(n) => t('notify.many', { n })} />
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
  if (isQuestion(call)) return t('displays.announced', { title: titleOf(call), keys });
  const { kind, input, locations } = call;
  const reading = permission.reading ?? readingOf({ kind, input, folder, locations: locations ?? [] });
  const diffs = (call.content ?? []).filter(({ type }) => type === 'diff');
  return t('permission.announced', { agent, what: headlineOf({ reading, diffs }, call), keys });
}

/** What is asked, within a sentence. */
const titleOf = (call: ToolCall) => nameOf(call).replace(/[.。]$/u, '');

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
      if (ended) fresh.push(endOf(message));
      const said = sentences(fresh);
      if (said !== '')
        parts.push(named ? t('labeled', { label: oneLine(message.author.name ?? ''), text: said }) : said);
    }
    this.newest = Math.max(this.newest, messages.at(-1)?.ord ?? 0);
    return sentences(parts);
  }
}

const longest = 2000;

/** How a turn has ended. */
function endOf({ error, stopReason, author }: Message): string {
  const agent = oneLine(author.name ?? '') || t('request.theAgent');
  if (error !== undefined)
    return t('labeled', {
      label: t('inbox.failed', { agent }),
      text: oneLine(sentenceOf(error, author.name)),
    });
  return stopReason === '' || stopReason === 'end_turn'
    ? t('transcript.finished')
    : `${stopWords(stopReason)}.`;
}

function wordsOf(segment: Segment): string {
  if (segment.type === 'text') return plainText(textShown(segment).toString().slice(0, longest));
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
  return oneLine(titleShown(title, toolName) || toolName || t('displays.kind.other')).slice(0, longest);
}
