import { Bot, ChevronRight, Pin } from 'lucide-react';
import { memo } from 'react';
import { t } from '../../i18n';
import type { GroupLine } from '../../state/list';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { StateMark } from './StateMark';

/** The name of a group. */
export function groupName(line: GroupLine): string {
  switch (line.of) {
    case 'pinned':
      return t('list.pinned');
    case 'others':
      return t('list.others');
    case 'time':
      return t(`list.ages.${line.age}`);
    case 'project':
      return oneLine(line.name) || t('space.noFolder');
  }
}

interface GroupRowProps {
  line: GroupLine;
  /** The closed group contains the visible space. */
  chosen: boolean;
  tabIndex: number;
  onToggle(key: string, open: boolean): void;
}

/** The heading of a group: it opens and closes it, and while closed shows what needs the user. */
export const GroupRow = memo(function GroupRow({ line, chosen, tabIndex, onToggle }: GroupRowProps) {
  const { open, of } = line;
  const name = groupName(line);
  return (
    <button
      type="button"
      className="group-button"
      data-of={of}
      data-chosen={chosen || undefined}
      tabIndex={tabIndex}
      aria-expanded={open}
      title={of === 'project' && line.project !== '' ? line.project : undefined}
      onClick={() => onToggle(line.key, !open)}
    >
      <ChevronRight className="group-chevron" size={13} aria-hidden />
      {of === 'pinned' && <Pin size={12} aria-hidden />}
      {of === 'others' && <Bot size={13} aria-hidden />}
      <span dir="auto" className="group-name truncate">
        {of === 'others' ? t('list.othersCount', { count: line.count }) : name}
      </span>
      {!open && line.mark !== 'idle' && (
        <>
          <StateMark state={line.mark} />
          {line.waiting > 1 && <span className="group-waiting tabular">{count(line.waiting)}</span>}
        </>
      )}
      {of !== 'others' && !open && (
        <span className="group-count tabular">
          <span aria-hidden>{count(line.count)}</span>
          <span className="visually-hidden">{t('list.count', { count: line.count })}</span>
        </span>
      )}
    </button>
  );
});
