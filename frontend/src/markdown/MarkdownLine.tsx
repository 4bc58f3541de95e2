import { useLayoutEffect, useRef } from 'react';
import { renderLine, toFragment } from './render';

/** One line of markdown without interactive elements, for use inside a button. */
export function MarkdownLine({ text, className }: { readonly text: string; readonly className?: string }) {
  const host = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const html = renderLine(text);
    host.current?.replaceChildren((html === undefined ? undefined : toFragment(html)) ?? text);
  }, [text]);
  return <span ref={host} className={`md-line${className === undefined ? '' : ` ${className}`}`} />;
}
