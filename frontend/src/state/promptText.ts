import type { Session } from './session';

/** The text of a prompt of a space, of the last one without an id; empty where it is not held. */
export function promptText(session: Session | undefined, messageId?: string): string {
  const messages = session?.store.get().conversation.messages ?? [];
  const prompt = messages.findLast(({ id, role }) =>
    messageId === undefined ? role === 'user' : id === messageId,
  );
  const said = prompt?.segments[0];
  return said?.type === 'text' ? said.text.toString() : '';
}
