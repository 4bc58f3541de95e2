import type { Weft } from '../state/weft';
import type { Json } from '../transcript/types';
import type { HistoryFilter, Rule } from '../transport/api';
import { download } from '../transport/download';

// Commands for permissions.

interface Request {
  spaceId: string;
  requestId: string;
}

/** Saves rules. Rules created from a request may also answer that request and similar ones. */
export function saveRules(weft: Weft, rules: Rule[], from: Request = { spaceId: '', requestId: '' }) {
  const save = () => weft.transport.call('SavePermissionRules', { rules, ...from });
  return from.requestId === ''
    ? save()
    : weft.answered.by(from.requestId, save, ({ answered }) => answered > 0);
}

export function removeRule(weft: Weft, ruleId: string) {
  return weft.transport.call('RemovePermissionRule', { ruleId });
}

export function answerPermission(weft: Weft, request: Request & { optionId: string }) {
  return weft.answered.sendHeld(request.requestId, () => weft.transport.call('AnswerPermission', request));
}

/** Rejects a member's request and sends the reason as the next prompt to the member. */
export function rejectWithReason(
  weft: Weft,
  {
    to,
    text,
    ...request
  }: Request & { optionId: string; to: { spaceId: string; memberId: string }; text: string },
) {
  return weft.answered.sendHeld(request.requestId, async () => {
    await weft.transport.call('AnswerPermission', request);
    await weft.transport.call('SendPrompt', { spaceId: to.spaceId, text, to: [to.memberId] });
    if (to.spaceId === request.spaceId) weft.opened(to.spaceId)?.markSent();
  });
}

export function refuseAllPermissions(weft: Weft, spaceId: string) {
  return weft.transport.call('RefuseAllPermissions', { spaceId });
}

export function answerQuestion(
  weft: Weft,
  request: Request & { action: 'accept' | 'decline' | 'cancel'; content: Json },
) {
  return weft.answered.by(request.requestId, () => weft.transport.call('AnswerQuestion', request));
}

/**
 * Exports the filtered history: the browser downloads it, the window asks for the location. Returns the path of the
 * file, or undefined if it isn't known or the user canceled.
 */
export async function exportHistory(
  weft: Weft,
  filter: HistoryFilter,
  format: 'csv' | 'jsonl',
): Promise<string> {
  if (weft.inWindow) return (await weft.transport.call('SavePermissionHistory', { ...filter, format })).path;
  await download(`/api/permissions/export?${new URLSearchParams({ ...filter, format })}`);
  return '';
}
