import type { Conversation, Message, Segment, ToolCall } from './model';
import type { By, Permission } from './types';

/** A call that ran without a permission request although the space or a rule requires one. */
export interface NotAsked {
  call: ToolCall;
  /** The rule or mode that required the request. */
  by: By;
  author: string;
}

/** What was done without asking since the last prompt. */
export interface NotAskedSince {
  /** Message id of the prompt; '' if it isn't in memory. */
  promptId: string;
  list: readonly NotAsked[];
}

/** The entry of a call saying that no permission was requested. */
export function notAskedOf(call: ToolCall): Permission | undefined {
  return call.permissions.find(({ outcome }) => outcome === 'unasked');
}

const none: readonly ToolCall[] = [];
/** Cached by segment: segments are replaced when they change, so a growing message only recomputes its last one. */
const found = new WeakMap<Segment, readonly ToolCall[]>();

function callsOf(segment: Segment): readonly ToolCall[] {
  if (segment.type !== 'tool-group') return none;
  let calls = found.get(segment);
  if (calls === undefined) {
    calls = segment.items.filter(
      (item): item is ToolCall => item.type === 'tool_call' && notAskedOf(item) !== undefined,
    );
    if (calls.length === 0) calls = none;
    found.set(segment, calls);
  }
  return calls;
}

/** Number of calls in a group that ran without asking. */
export function countNotAsked(group: Segment): number {
  return callsOf(group).length;
}

/** What the agents did without asking since the user's last message. */
export function notAskedSince({ messages }: Conversation): NotAskedSince {
  const list: NotAsked[] = [];
  for (let i = messages.length - 1; i >= 0; i--) {
    const message: Message | undefined = messages[i];
    if (message?.role === 'user') return { promptId: message.id, list: list.reverse() };
    for (const segment of [...(message?.segments ?? [])].reverse()) {
      for (const call of [...callsOf(segment)].reverse())
        list.push({ call, by: notAskedOf(call)?.by ?? { who: 'mode' }, author: message?.author.name ?? '' });
    }
  }
  return { promptId: '', list: list.reverse() };
}
