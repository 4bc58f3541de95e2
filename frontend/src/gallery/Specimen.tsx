import type { ReactNode } from 'react';

/** Shows a component in its states, below a heading. */
export function Specimen({
  of,
  wide = false,
  children,
}: {
  of: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="gallery-specimen" data-wide={wide || undefined}>
      <h2 className="gallery-of">{of}</h2>
      <div className="gallery-shown">{children}</div>
    </section>
  );
}
