import { displayKind, isOpen, type ToolCall } from './model';

// Visibility of calls, from the tool's definition or its server's settings: how they look while the agent works. Hidden
// calls are kept. A call that is rendered as a component is always visible.

/** Reports whether a call is not drawn: it should be hidden, has not failed, and doesn't wait for the user. */
export function isHidden({ visibility, kind, status }: ToolCall): boolean {
  return visibility === 'hidden' && kind !== displayKind && status !== 'failed' && status !== 'waiting';
}

/** Reports whether its group counts a call: `Counted` of backend/conversation/transcript. */
export function isCounted(call: ToolCall): boolean {
  return !isHidden(call) || isOpen(call.status);
}
