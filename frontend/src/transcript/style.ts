import { countCall } from './counts';
import { type Look, type Looks, lookOf, plainLooks } from './looks';
import { displayKind, type Item, type Message, type Segment, type ToolCall, type ToolGroup } from './model';

// Computes how messages are drawn: calls get the visibility that the user's rules define, and calls of space tools
// become displays if the user wants that. Everything else keeps its identity.

/** What decides how the calls of a message are drawn. */
export interface Style {
  readonly looks: Looks;
  /** Messages whose hidden calls the user wants to see. */
  readonly revealed: ReadonlySet<string>;
  /** Messages whose thoughts are shown although thoughts are hidden. */
  readonly thinking: ReadonlySet<string>;
}

export const unstyled: Style = { looks: plainLooks, revealed: new Set(), thinking: new Set() };

/** Returns the original call of the backend. */
export function originalCall(call: ToolCall): ToolCall {
  return call.original ?? call;
}

export function styled(message: Message, { looks, revealed }: Style): Message {
  const shows = revealed.has(message.id);
  if (message.role !== 'agent' || (!shows && looks.rules.length === 0 && !looks.displays)) return message;
  const parents = lazily(() => parentsIn(message.segments));
  const agent = message.author.id ?? '';
  const one = (item: Item) => (item.type === 'tool_call' ? call(item, looks, agent, shows, parents) : item);
  let changed = false;
  const segments = message.segments.map((segment): Segment => {
    if (segment.type !== 'tool-group') return segment;
    const group = styledGroup(segment, one);
    changed ||= group !== segment;
    return group;
  });
  return changed ? { ...message, segments } : message;
}

/** Items that don't belong to a message in memory. */
export function styledItems(
  items: readonly Item[],
  message: Message | undefined,
  { looks, revealed }: Style,
): Item[] {
  const parents = lazily(() => parentsIn(message?.segments ?? []));
  const shows = message !== undefined && revealed.has(message.id);
  return items.map((item) =>
    item.type === 'tool_call' ? call(item, looks, message?.author.id ?? '', shows, parents) : item,
  );
}

const groups = new WeakMap<ToolGroup, ToolGroup>();

function styledGroup(group: ToolGroup, one: (item: Item) => Item): ToolGroup {
  const items = group.items.map(one);
  if (items.every((item, i) => item === group.items[i])) return group;
  const before = groups.get(group);
  if (before !== undefined && items.every((item, i) => item === before.items[i])) return before;
  const counts = { kindCounts: { ...group.kindCounts }, statusCounts: { ...group.statusCounts } };
  for (const [i, item] of items.entries()) {
    const was = group.items[i];
    if (item === was || item.type !== 'tool_call' || was?.type !== 'tool_call') continue;
    countCall(counts, was, -1);
    countCall(counts, item, 1);
  }
  const made = { ...group, ...counts, items };
  groups.set(group, made);
  return made;
}

const calls = new WeakMap<ToolCall, { look: Look; shows: boolean; made: ToolCall }>();

function call(
  of: ToolCall,
  looks: Looks,
  agent: string,
  shows: boolean,
  parents: () => ReadonlySet<string>,
): ToolCall {
  let look = aloneOf(of, looks, agent);
  if (look.visibility === 'hidden' && parents().has(of.toolCallId)) look = lookOf(looks, agent, of, true);
  const visibility = look.visibility === 'full' ? undefined : look.visibility;
  const kind = look.display ? displayKind : of.kind;
  const reveals = shows && visibility === 'hidden';
  if (!reveals && visibility === of.visibility && kind === of.kind) return of;
  const before = calls.get(of);
  if (
    before !== undefined &&
    before.shows === reveals &&
    before.look.visibility === look.visibility &&
    before.look.display === look.display
  )
    return before.made;
  const made: ToolCall = {
    ...of,
    kind,
    original: of,
    visibility: reveals ? undefined : visibility,
    ...(reveals && { revealed: true as const }),
  };
  calls.set(of, { look, shows: reveals, made });
  return made;
}

const alone = new WeakMap<ToolCall, { looks: Looks; agent: string; look: Look }>();

/** How a call looks if nothing is nested under it; cached per state of a call. */
function aloneOf(of: ToolCall, looks: Looks, agent: string): Look {
  const known = alone.get(of);
  if (known?.looks === looks && known.agent === agent) return known.look;
  const look = lookOf(looks, agent, of, false);
  alone.set(of, { looks, agent, look });
  return look;
}

/** The calls that have something nested under them. */
export function parentsIn(segments: readonly Segment[]): ReadonlySet<string> {
  return new Set(
    segments.flatMap((segment) =>
      segment.type === 'tool-group'
        ? segment.items.map(({ parentToolCallId }) => parentToolCallId)
        : [segment.parentToolCallId],
    ),
  );
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
