import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useReading } from './reading';

interface DisclosureProps {
  label: ReactNode;
  /** Whether it is initially open. */
  open?: boolean;
  children: ReactNode;
}

/** Optional content in a transcript; opening it keeps the scroll position. */
export function Disclosure({ label, open: first = false, children }: DisclosureProps) {
  const { hold } = useReading();
  const [open, setOpen] = useState(first);
  return (
    <>
      <button
        type="button"
        className="disclosure quiet-text"
        aria-expanded={open}
        onClick={() => {
          hold();
          setOpen(!open);
        }}
      >
        {label}
        <ChevronRight className="chevron" size={14} aria-hidden />
      </button>
      {open && children}
    </>
  );
}
