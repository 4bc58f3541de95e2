import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { sentences } from '../../i18n/formats';
import { shortcutText } from '../../keyboard/actions';
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

/** How long announcements are collected, in milliseconds: anything replaced sooner isn't spoken. */
const collectDelay = 150;

/** Announces each finished segment once, how turns end, and each question. */
export function Announcer({ session }: { session: Session }) {
  const said = useRef<Speaker>(null);
  const asked = useRef<Speaker>(null);
  useEffect(() => {
    const spoken = new AnnouncedText();
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
          asked.current?.say(
            t('displays.announced', { title: titleOf(call), keys: shortcutText('mod+shift+j') }),
          );
      displays = new Set(shown.map((call) => call.toolCallId));
    };
    look(true);
    // Not in the frame that shows it: of several in a row, only the last one would be spoken.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = session.store.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look(false);
      }, collectDelay);
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

/** Who requests what: what would run comes before the agent's title. */
function wordsOfRequest(
  { messages }: Conversation,
  { call, permission, messageId }: WaitingRequest,
  folder: string,
): string {
  const author = messages.find(({ id }) => id === messageId)?.author.name ?? '';
  const agent = oneLine(author) || t('request.theAgent');
  const keys = shortcutText('mod+shift+j');
  if (isQuestion(call)) return t('displays.announced', { title: titleOf(call), keys });
  const { kind, input, locations } = call;
  const reading = permission.reading ?? readingOf({ kind, input, folder, locations: locations ?? [] });
  const diffs = (call.content ?? []).filter(({ type }) => type === 'diff');
  return t('permission.announced', { agent, what: headlineOf({ reading, diffs }, call), keys });
}

/** The title within a sentence. */
const titleOf = (call: ToolCall) => nameOf(call).replace(/[.。]$/u, '');

/** Tracks what was already announced of every message. Several may be written at the same time. */
class AnnouncedText {
  private readonly upTo = new Map<string, { segments: number; ended: boolean }>();
  private newest = 0;

  /** The text of segments finished since the last call, with the author's name if there are several. */
  news({ messages }: Conversation, named: boolean, quiet: boolean): string {
    const parts: string[] = [];
    for (const message of messages) {
      if (message.role === 'user') continue;
      const before = this.upTo.get(message.id);
      if (before?.ended) continue;
      const ended = message.endedAt > 0;
      const segments = ended ? segmentEnd(message) : Math.max(0, segmentEnd(message) - 1);
      this.upTo.set(message.id, { segments: Math.max(before?.segments ?? 0, segments), ended });
      // Earlier messages that were just loaded are not news.
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

/** How a turn ended. */
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
  // Pending requests were announced when they arrived.
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

/** The title of a display, from its summary line, because its content may not be in memory. */
function nameOf({ title, toolName }: ToolCall): string {
  return oneLine(titleShown(title, toolName) || toolName || t('displays.kind.other')).slice(0, longest);
}
