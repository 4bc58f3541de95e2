import { applyEvents } from './fold';
import { type MessageJson, messageJson } from './json.fixture';
import { emptyConversation } from './model';
import type { Event } from './types';

/** Folds events into messages, as plain JSON in the shape of Go's transcript.Message. */
export function foldEvents(events: readonly Event[]): MessageJson[] {
  return applyEvents(emptyConversation, events).messages.map(messageJson);
}
