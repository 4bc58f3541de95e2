import { t } from '../../i18n';
import type { ToolCall } from '../../transcript/model';
import { exactLine } from '../parts/exact';
import { quoted } from '../tools/input';
import { isSystemShell } from './readingOf';
import type { Request } from './useRequest';

const longest = 160;

/** The headline of a request: the command rather than the agent's title. An ellipsis indicates more. */
export function headlineOf({ reading, diffs }: Pick<Request, 'reading' | 'diffs'>, call: ToolCall): string {
  const [run, ...others] = reading.commands ?? [];
  if (run !== undefined) {
    const shell = run.shell ?? '';
    const whole = shell === '' || isSystemShell(shell) ? run.line : `${shell} ${quoted(run.line)}`;
    const [first = '', ...rest] = whole.trim().split('\n');
    return cut(first, rest.length > 0 || others.length > 0);
  }
  const path = diffs[0]?.path ?? reading.files?.[0]?.path;
  const writes = diffs.length > 0 || reading.files?.[0]?.write === true;
  if (path !== undefined) return `${t(writes ? 'request.writes' : 'request.reads')} ${cut(path)}`;
  return cut(call.title || call.toolName) || t('tool.untitled');
}

function cut(text: string, more = false): string {
  const line = exactLine(text);
  return `${line.slice(0, longest)}${more || line.length > longest ? ' …' : ''}`;
}
