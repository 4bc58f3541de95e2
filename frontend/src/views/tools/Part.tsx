import type { ReactNode } from 'react';

/** A titled part of a call's details. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="detail-part">
      <p className="detail-title">{title}</p>
      {children}
    </div>
  );
}
