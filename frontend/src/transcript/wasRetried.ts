import type { Item, Message, ToolCall } from './model';

/**
 * Reports whether the agent or a retry made the same call again later: then only that one can be retried. If the input
 * of a call isn't in memory, titles are compared.
 */
export function wasRetried(messages: readonly Message[], messageId: string, call: ToolCall): boolean {
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

/** The input as text; null if it isn't known. */
function inputOf({ input, inputRef }: ToolCall): string | null {
  if (inputRef !== undefined) return inputRef.hash;
  return input === undefined ? null : JSON.stringify(input);
}
