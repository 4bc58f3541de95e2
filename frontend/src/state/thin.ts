import type {
  Conversation,
  Item,
  Message,
  Segment,
  Terminal,
  ToolCall,
  ToolGroup,
} from '../transcript/model';
import { isOpen } from '../transcript/model';
import type { Location } from '../transcript/types';

// Releases streamed data that can be loaded again, so that turns of any length use the same memory.

/** Most characters of streamed tool input or output that are kept. */
export const limits = { streamed: 64 << 10 };

/** Most items of one group that are kept while it grows. */
const most = 400;
const kept = 200;

/** Returns the conversation without the inputs and outputs of messages that have ended. */
export function thinned(conversation: Conversation, ended: ReadonlySet<string>): Conversation {
  if (ended.size === 0) return conversation;
  const messages = conversation.messages.map((message) =>
    ended.has(message.id) ? thinMessage(message) : message,
  );
  return { ...conversation, messages };
}

function thinMessage(message: Message): Message {
  return { ...message, segments: message.segments.map(thinSegment) };
}

function thinSegment(segment: Segment): Segment {
  if (segment.type !== 'tool-group' || segment.items.every((item) => thinItem(item) === item)) return segment;
  return { ...segment, items: segment.items.map(thinItem) };
}

function thinItem(item: Item): Item {
  if (item.type === 'thought' || !item.whole || isOpen(item.status)) return item;
  return {
    ...item,
    whole: false,
    input: undefined,
    inputRef: undefined,
    inputText: undefined,
    writing: undefined,
    drawing: undefined,
    content: undefined,
    contentRef: undefined,
    // With the first locations, the path in the title stays a link, as on a loaded page.
    locations: item.locations?.slice(0, mostLocations),
    locationsRef: undefined,
    place: firstPlace(item),
    output: undefined,
    outputRef: undefined,
    outputText: undefined,
    terminals: item.terminals.map(thinTerminal),
  };
}

/** Locations kept of a released call. */
const mostLocations = 10;

/** Returns the first diff of a call without locations, so that the path in its title is a link, as on a loaded page. */
function firstPlace({ place, locations = [], content }: ToolCall): Location | undefined {
  if (locations.length > 0) return undefined;
  const diff = content?.find(({ type, path }) => type === 'diff' && path !== undefined);
  if (diff?.path === undefined) return place;
  return { path: diff.path, ...(diff.line !== undefined && { line: diff.line }) };
}

/** A finished terminal is loaded again; a running one keeps its output. */
function thinTerminal(terminal: Terminal): Terminal {
  return terminal.running || terminal.text === undefined
    ? terminal
    : { ...terminal, text: undefined, end: -1 };
}

/** Drops the first items of very long groups. Several messages may grow at the same time. */
export function shortened(conversation: Conversation): Conversation {
  const { messages } = conversation;
  const long = (message: Message, i: number) =>
    (message.endedAt === 0 || i === messages.length - 1) && message.segments.some(isLong);
  if (!messages.some(long)) return conversation;
  return {
    ...conversation,
    messages: messages.map((message, i) => (long(message, i) ? shorten(message) : message)),
  };
}

function shorten(message: Message): Message {
  const segments = message.segments.map((segment): Segment => {
    if (!isLong(segment)) return segment;
    // Pending requests are never dropped.
    const waits = segment.items.findIndex((item) => item.type === 'tool_call' && item.status === 'waiting');
    const drop = Math.min(segment.items.length - kept, waits < 0 ? Number.POSITIVE_INFINITY : waits);
    if (drop === 0) return segment;
    return { ...segment, items: segment.items.slice(drop), firstItem: segment.firstItem + drop };
  });
  return { ...message, segments };
}

function isLong(segment: Segment): segment is ToolGroup {
  return segment.type === 'tool-group' && segment.items.length > most;
}
