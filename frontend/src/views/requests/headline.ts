import { t } from '../../i18n';
import type { ToolCall } from '../../transcript/model';
import { exactLine } from '../parts/exact';
import { quoted } from '../tools/input';
import { isSystemShell } from './readingOf';
import type { Request } from './useRequest';

const longest = 160;

/** What a request is about, in a line: what runs before what the agent calls it. */
export function headlineOf({ reading, diffs }: Pick<Request, 'reading' | 'diffs'>, call: ToolCall): string {
  const [run] = reading.commands ?? [];
  if (run !== undefined) {
    const shell = run.shell ?? '';
    const whole = shell === '' || isSystemShell(shell) ? run.line : `${shell} ${quoted(run.line)}`;
    const lines = whole.trim();
    const line = exactLine(lines.split('\n')[0] ?? '').slice(0, longest);
    const cut = line.length < lines.length ? ' …' : '';
    return `${line}${cut}`;
  }
  const path = diffs[0]?.path ?? reading.files?.[0]?.path;
  const writes = diffs.length > 0 || reading.files?.[0]?.write === true;
  if (path !== undefined)
    return `${t(writes ? 'request.writes' : 'request.reads')} ${exactLine(path).slice(0, longest)}`;
  return exactLine(call.title || call.toolName).slice(0, longest) || t('tool.untitled');
}
