import type { Item, Message, ToolCall } from './model';

/**
 * Whether the same call was made again behind this one, by the agent or by a retry: then that one can be retried, and not this one too. Of
 * a call whose input isn't held, its title has to do.
 */
export function triedSince(messages: readonly Message[], messageId: string, call: ToolCall): boolean {
  const from = messages.findIndex(({ id }) => id === messageId);
  if (from < 0) return false;
  let passed = false;
  for (const message of messages.slice(from)) {
    for (const segment of message.segments) {
      if (segment.type !== 'tool-group') continue;
      for (const item of segment.items) {
        if (passed && isSame(item, call)) return true;
        passed ||=
          message.id === messageId && item.type === 'tool_call' && item.toolCallId === call.toolCallId;
      }
    }
    passed ||= message.id !== messageId;
  }
  return false;
}

function isSame(item: Item, call: ToolCall): boolean {
  if (item.type !== 'tool_call' || item.toolCallId === call.toolCallId) return false;
  if (item.kind !== call.kind || item.toolName !== call.toolName || item.title !== call.title) return false;
  const [a, b] = [inputOf(item), inputOf(call)];
  return a === null || b === null ? item.title !== '' : a === b;
}

/** The input as a text, null where it isn't known. */
function inputOf({ input, inputRef }: ToolCall): string | null {
  if (inputRef !== undefined) return inputRef.hash;
  return input === undefined ? null : JSON.stringify(input);
}
