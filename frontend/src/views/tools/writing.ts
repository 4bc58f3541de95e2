import { t } from '../../i18n';
import type { ToolCall } from '../../transcript/model';
import type { WrittenText } from '../../transcript/writing';
import { oneLine } from '../parts/clean';
import { bytes, count } from '../parts/numbers';
import { readTitle } from './command';
import { usePath } from './usePath';

// Field names that agents use for what they write. A long or multi-line text counts under any name.
const commands = ['command', 'cmd', 'script'];
const paths = [
  'path',
  'file_path',
  'filePath',
  'filepath',
  'file',
  'filename',
  'target_file',
  'notebook_path',
];
const olds = ['old', 'old_string', 'oldString', 'old_str', 'oldText', 'old_text', 'search', 'find'];
const news = ['new', 'new_string', 'newString', 'new_str', 'newText', 'new_text', 'replace', 'replacement'];
const contents = [
  'content',
  'contents',
  'text',
  'file_text',
  'code',
  'patch',
  'diff',
  'new_source',
  'insert_text',
];
/** A text of another name is shown from this length on. */
const long = 160;

/** Reports whether the input of a call is being written. */
export function isWritten(call: ToolCall): boolean {
  return call.writing !== undefined && (call.status === 'pending' || call.status === 'running');
}

export type Side = 'old' | 'new' | 'command' | 'content';

/** Classifies a text; null if it isn't shown on its own. */
export function sideOf(text: WrittenText, kind: string): Side | null {
  const { name } = text;
  if (commands.includes(name) || (kind === 'execute' && commands.includes(text.field))) return 'command';
  if (olds.includes(name) && kind === 'edit') return 'old';
  if (news.includes(name) && kind === 'edit') return 'new';
  if (paths.includes(name)) return null;
  if (contents.includes(name) && (kind === 'edit' || text.breaks > 0)) return 'content';
  return text.breaks > 0 || text.length > long ? 'content' : null;
}

/** The text shown while a call is being written: of the meaningful ones, the one that grew last. */
export function shownOf(call: ToolCall): WrittenText | null {
  const { writing, kind } = call;
  const current = writing?.current ?? null;
  if (writing === undefined || current === null) return null;
  if (sideOf(current, kind) !== null) return current;
  return writing.all().findLast((text) => sideOf(text, kind) !== null) ?? null;
}

/** "214 lines · 7.2 KB"; empty for a command, which is fully visible. */
export function sizeOf(text: WrittenText): string {
  if (commands.includes(text.name) || commands.includes(text.field)) return '';
  const lines = t('writing.lines', { count: text.lines, n: count(text.lines) });
  return text.length < 1024 ? lines : `${lines} · ${bytes(text.length)}`;
}

/** The path in the input, as far as it is written. */
export function pathOf(call: ToolCall): string {
  const named = call.writing?.all().find((text) => paths.includes(text.name));
  return named?.head ?? call.locations?.[0]?.path ?? '';
}

/** The title of a call: the file while it is being written. */
export function useWritingTitle(call: ToolCall): string {
  const path = usePath();
  const title = oneLine(readTitle(call).line || call.toolName || t('tool.untitled'));
  if (!isWritten(call) || call.kind !== 'edit') return title;
  const file = pathOf(call);
  const text = shownOf(call);
  if (file === '' || text === null) return title;
  const side = sideOf(text, call.kind);
  return t(side === 'old' || side === 'new' ? 'writing.edits' : 'writing.writes', { path: path(file) });
}
