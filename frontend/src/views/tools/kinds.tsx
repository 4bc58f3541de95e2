import {
  ArrowRightLeft,
  FilePen,
  FileText,
  Globe,
  Lightbulb,
  type LucideIcon,
  Search,
  Shuffle,
  SquareTerminal,
  Trash2,
  Wrench,
} from 'lucide-react';

const icons: Record<string, LucideIcon> = {
  read: FileText,
  edit: FilePen,
  delete: Trash2,
  move: ArrowRightLeft,
  search: Search,
  execute: SquareTerminal,
  think: Lightbulb,
  fetch: Globe,
  switch_mode: Shuffle,
};

/** Icon for the kind of a tool. */
export function KindIcon({ kind }: { kind: string }) {
  const Icon = icons[kind] ?? Wrench;
  return <Icon className="kind-icon" size={14} strokeWidth={1.75} aria-hidden />;
}
