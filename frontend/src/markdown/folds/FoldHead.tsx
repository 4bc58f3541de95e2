/** The line of a fold: what it is about, and whether it is open. */
import type { ReactNode } from 'react';

interface FoldHeadProps {
  readonly open: boolean;
  readonly onToggle: () => void;
  /** The summary. */
  readonly children: ReactNode;
}

export function FoldHead({ open, onToggle, children }: FoldHeadProps) {
  return (
    <button type="button" className="md-fold-head" aria-expanded={open} onClick={onToggle}>
      <span className="md-fold-mark" aria-hidden />
      {children}
    </button>
  );
}
