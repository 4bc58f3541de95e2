import type { Message } from '../transcript/model';
import type { Session } from './session';

/**
 * The text of the prompt that a commit is about, by default the last one; empty if it isn't loaded. A prompt sent for a
 * rejection only explains that, so the one before it is used.
 */
export function promptText(session: Session | undefined, messageId?: string): string {
  const messages = session?.store.get().conversation.messages ?? [];
  const isPrompt = (message: Message | undefined) => message?.role === 'user';
  let at = messages.findLastIndex((one) => (messageId === undefined ? isPrompt(one) : one.id === messageId));
  while (endsRejected(messages[at - 1])) {
    const before = messages.slice(0, at).findLastIndex(isPrompt);
    if (before < 0) break;
    at = before;
  }
  const said = messages[at]?.segments[0];
  return said?.type === 'text' ? said.text.toString() : '';
}

function endsRejected(message: Message | undefined): boolean {
  const last = message?.segments.at(-1);
  if (message?.role === 'user' || last?.type !== 'tool-group') return false;
  const item = last.items.at(-1);
  return item?.type === 'tool_call' && item.status === 'rejected';
}
