import { t } from '../../i18n';
import { told, toldOfCall } from '../../i18n/said';
import type { ToolCall } from '../../transcript/model';
import type { Permission } from '../../transcript/types';
import { exactLine } from '../parts/exact';
import { count } from '../parts/numbers';
import { lastName, pathFrom } from '../parts/paths';
import { absolute } from '../places/place';
import { fileOf, titlePath } from './callFiles';

// What a call is called, what it has come to and why it failed is stored in English, where Weft says it (decision 0061).

/** Kinds whose summaries may be a verb and the name of a file or a mode. */
const verbs = ['read', 'edit', 'delete', 'move', 'switch_mode'];
const oneWord = /^\S+$/;
const anything = /./;

/** What a call has come to, in the language of the window. */
export const summaryShown = ({ summary, kind }: Pick<ToolCall, 'summary' | 'kind'>): string =>
  toldOfCall(summary, verbs.includes(kind) ? oneWord : undefined);

/** Whether what a call is called says what it has come to, as "Read" does. What a command writes is no such word. */
export const saysAlready = (title: string, { summary, kind }: Pick<ToolCall, 'summary' | 'kind'>): boolean =>
  kind !== 'execute' && `${title.toLowerCase()} `.startsWith(`${summary.toLowerCase()} `);

/** Kinds that a title may leave out, where it is only a path. */
const does = ['read', 'edit', 'delete'] as const;

/** A title with the verb before it where it is nothing but the path of a file: all agents' calls are called alike. */
export function verbTitle(call: ToolCall, title: string, folder: string): string {
  const kind = does.find((one) => one === call.kind);
  const path = kind === undefined ? null : titlePath(call, title, folder);
  return kind === undefined || path === null ? title : t(`tool.does.${kind}`, { path });
}

/** What a call that is asked about would do, with the file where it is one; null where the request says no more than its kind. */
export function askedTitle(call: ToolCall, { reading }: Permission, folder: string): string | null {
  const kind = does.find((one) => one === call.kind);
  const [first, ...more] = reading?.files ?? [];
  const runs = (reading?.commands ?? []).length > 0;
  if (kind === undefined || runs || more.some(({ path }) => path !== first?.path)) return null;
  // What it would do is what was read of it, whatever the agent calls it.
  const writes = kind === 'read' && first?.write === true;
  const path = first?.path ?? fileOf(call);
  if (path === '') return null;
  return t(`tool.does.${writes ? 'edit' : kind}`, {
    path: exactLine(pathFrom(absolute(path, folder), folder, '')),
  });
}

/** What a call has come to, without what its title says: the file, and that it was read. */
export function newsOf(call: ToolCall, title: string): string {
  const { summary, kind } = call;
  if (saysAlready(title, call)) return '';
  const path = fileOf(call);
  const names = (name: string) => path !== '' && lastName(path) === name && title.includes(name);
  const lines =
    kind === 'read' ? /^Read ([\d,]+) lines?$/.exec(summary)?.[1]?.replaceAll(',', '') : undefined;
  if (lines !== undefined && path !== '' && title.includes(lastName(path)))
    return t('writing.lines', { count: Number(lines), n: count(Number(lines)) });
  const [, changed, where = ''] = /^(\+\S+ −\S+) in (.+)$/.exec(summary) ?? [];
  if (changed !== undefined && names(where)) return changed;
  const did = /^(?:Read|Edited|Deleted) (.+)$/.exec(summary)?.[1];
  if (did !== undefined && verbs.includes(kind) && names(did)) return '';
  return summaryShown(call);
}

/** How it stands with a call; what the user has rejected, and not a rule or a mode for the user, is called so. */
export function statusShown({ status, permissions }: ToolCall): string {
  const last = permissions.findLast(({ outcome }) => outcome === 'selected' || outcome === 'cancelled');
  const refused = status === 'rejected' && last !== undefined && last.by === undefined;
  return refused ? t('status.rejectedByYou') : t(`status.${status}`);
}

/** Why a call failed. */
export const errorShown = ({ error }: Pick<ToolCall, 'error'>): string => told(error);

/** The names of the calls that are questions; see backend/requests. The second is one of Weft's own, before a prompt is sent. */
export const questionTool = 'weft/question';
export const holdTool = 'weft/hold';

export const isQuestion = ({ toolName }: Pick<ToolCall, 'toolName'>): boolean =>
  toolName === questionTool || toolName === holdTool;

/** What a call is called: a call of a tool of Weft's is called so by Weft. */
export const titleShown = (title: string, toolName: string): string =>
  toolName === holdTool
    ? told(title)
    : toldOfCall(title, /^weft\/|^sendSpaceMessage$/.test(toolName) ? anything : undefined);
