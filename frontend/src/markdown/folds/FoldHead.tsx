/** The summary line of a fold, with its open state. */
import type { ReactNode } from 'react';

interface FoldHeadProps {
  readonly open: boolean;
  readonly onToggle: () => void;
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
