import type { Weft } from '../state/weft';
import type { Json } from '../transcript/types';
import type { HistoryFilter, Rule } from '../transport/api';
import { download } from '../transport/download';

// What the user decides about what agents may do.

interface Request {
  spaceId: string;
  requestId: string;
}

/** Saves rules; those that are made for a request may answer it, and others like it. */
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
  return weft.answered.byHeld(request.requestId, () => weft.transport.call('AnswerPermission', request));
}

/** Rejects what a member asks for, and tells it why: the next prompt that it gets. */
export function rejectSaying(
  weft: Weft,
  {
    to,
    text,
    ...request
  }: Request & { optionId: string; to: { spaceId: string; memberId: string }; text: string },
) {
  return weft.answered.byHeld(request.requestId, async () => {
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
 * Saves what a filter selects: the browser downloads it, the window asks where to. Returns the path of the file, where it
 * is known and the user has not changed their mind.
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
