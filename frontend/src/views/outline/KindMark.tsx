import {
  CircleAlert,
  FilePen,
  GitBranch,
  Hand,
  Info,
  LayoutPanelTop,
  type LucideIcon,
  MessageSquareText,
} from 'lucide-react';
import type { OutlineEntry } from '../../transport/api';

export const kinds = ['prompt', 'edit', 'failure', 'display', 'request', 'notice', 'branch'] as const;

const icons: Record<OutlineEntry['kind'], LucideIcon> = {
  prompt: MessageSquareText,
  edit: FilePen,
  failure: CircleAlert,
  display: LayoutPanelTop,
  request: Hand,
  notice: Info,
  branch: GitBranch,
};

/** The kind of an entry, shown by shape and color. */
export function KindMark({ kind }: { kind: OutlineEntry['kind'] }) {
  const Icon = icons[kind];
  return <Icon className="outline-mark" data-kind={kind} size={13} strokeWidth={1.75} aria-hidden />;
}
