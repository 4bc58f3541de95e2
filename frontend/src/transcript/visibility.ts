import { displayKind, isOpen, type ToolCall } from './model';

// What is said of a tool in its definition or its server's settings: how its calls look where the agent works. Nothing
// is dropped for it. A call that is drawn as a component is seen, whatever its tool's visibility.

/** Whether a call is not drawn: it is to be hidden, has not failed, and does not wait for the user. */
export function isHidden({ visibility, kind, status }: ToolCall): boolean {
  return visibility === 'hidden' && kind !== displayKind && status !== 'failed' && status !== 'waiting';
}

/** Whether a call is among those that its group counts: `Counted` of backend/transcript. */
export function isCounted(call: ToolCall): boolean {
  return !isHidden(call) || isOpen(call.status);
}
