import { t } from '../../i18n';
import { translated, translatedCallText } from '../../i18n/said';
import type { ToolCall } from '../../transcript/model';
import type { Permission } from '../../transcript/types';
import { exactLine } from '../parts/exact';
import { count } from '../parts/numbers';
import { lastName, pathFrom } from '../parts/paths';
import { absolute } from '../places/place';
import { fileOf, titlePath } from './callFiles';

// Titles, summaries and errors of calls that come from Weft are stored in English (decision 0061).

/** Kinds whose summaries may be a verb and the name of a file or a mode. */
const verbs = ['read', 'edit', 'delete', 'move', 'switch_mode'];
const oneWord = /^\S+$/;
const anything = /./;

/** The translated summary of a call. */
export const summaryShown = ({ summary, kind }: Pick<ToolCall, 'summary' | 'kind'>): string =>
  translatedCallText(summary, verbs.includes(kind) ? oneWord : undefined);

/**
 * Reports whether the title already says what the summary does, such as "Read". The output of a command doesn't count.
 */
export const titleIncludesSummary = (
  title: string,
  { summary, kind }: Pick<ToolCall, 'summary' | 'kind'>,
): boolean => kind !== 'execute' && `${title.toLowerCase()} `.startsWith(`${summary.toLowerCase()} `);

/** Kinds that a title may omit if it is only a path. */
const does = ['read', 'edit', 'delete'] as const;

/** Adds the verb to a title that is only the path of a file, so that the calls of all agents look alike. */
export function verbTitle(call: ToolCall, title: string, folder: string): string {
  const kind = does.find((one) => one === call.kind);
  const path = kind === undefined ? null : titlePath(call, title, folder);
  return kind === undefined || path === null ? title : t(`tool.does.${kind}`, { path });
}

/**
 * The title of a call with a pending request: what it would do, with its file; null if the request says no more than
 * its kind.
 */
export function askedTitle(call: ToolCall, { reading }: Permission, folder: string): string | null {
  const kind = does.find((one) => one === call.kind);
  const [first, ...more] = reading?.files ?? [];
  const runs = (reading?.commands ?? []).length > 0;
  if (kind === undefined || runs || more.some(({ path }) => path !== first?.path)) return null;
  // Weft's analysis counts, whatever the agent calls it.
  const writes = kind === 'read' && first?.write === true;
  const path = first?.path ?? fileOf(call);
  if (path === '') return null;
  const act = writes ? 'edit' : kind;
  const creates = act === 'edit' && call.content?.some(({ newFile }) => newFile === true) === true;
  return t(`tool.does.${creates ? 'write' : act}`, {
    path: exactLine(pathFrom(absolute(path, folder), folder, '')),
  });
}

/** The summary of a call without what its title already says: the file, and that it was read. */
export function summaryBesideTitle(call: ToolCall, title: string): string {
  const { summary, kind } = call;
  if (titleIncludesSummary(title, call)) return '';
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

/** The status of a call. A rejection by the user, as opposed to a rule or mode, is named as such. */
export function statusShown({ status, permissions }: ToolCall): string {
  const last = permissions.findLast(({ outcome }) => outcome === 'selected' || outcome === 'cancelled');
  const refused = status === 'rejected' && last !== undefined && last.by === undefined;
  return refused ? t('status.rejectedByYou') : t(`status.${status}`);
}

/** Why a call failed, translated. */
export const errorShown = ({ error }: Pick<ToolCall, 'error'>): string => translated(error);

/** Names of calls that are questions; see backend/space/requests. The second is Weft's own, before a prompt is sent. */
export const questionTool = 'weft/question';
export const holdTool = 'weft/hold';

export const isQuestion = ({ toolName }: Pick<ToolCall, 'toolName'>): boolean =>
  toolName === questionTool || toolName === holdTool;

/** The translated title of a call, if it is one of Weft's tools. */
export const titleShown = (title: string, toolName: string): string =>
  toolName === holdTool
    ? translated(title)
    : translatedCallText(title, /^weft\/|^sendSpaceMessage$/.test(toolName) ? anything : undefined);
