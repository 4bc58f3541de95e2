/** Closes the markup that is still open at the end of a growing text, so that raw marks are not shown. */
import remend from 'remend';

/** How many characters at the end are examined: the cost is quadratic. */
const LOOKED_AT = 2 * 1024;

export function closeMarkup(source: string): string {
  if (source.length <= LOOKED_AT) return close(source);
  const start = source.indexOf('\n', source.length - LOOKED_AT) + 1;
  if (start === 0 || inFence(source, start)) return source;
  return source.slice(0, start) + close(source.slice(start));
}

function close(source: string): string {
  if (inFormula(source)) return source;
  return remend(source, { htmlTags: false, katex: false, linkMode: 'text-only' });
}

/** Reports whether the end of a text is inside an unclosed formula, where marks are not markdown. */
function inFormula(source: string): boolean {
  const last = source.slice(source.lastIndexOf('\n\n') + 1);
  if (last.lastIndexOf('\\[') > last.lastIndexOf('\\]') || last.lastIndexOf('\\(') > last.lastIndexOf('\\)'))
    return true;
  if (last.split('$$').length % 2 === 0) return true;
  return /(?:^|[\s(])\$[^\s$\d][^$]*$/.test(last);
}

/** Reports whether a fence that opened before `end` is still open there. */
function inFence(source: string, end: number): boolean {
  let open = '';
  for (let at = 0; at < end; ) {
    const next = source.indexOf('\n', at) + 1 || end;
    const mark = /^[ \t>*+-]{0,16}(`{3,}|~{3,})/.exec(source.slice(at, Math.min(next, at + 64)))?.[1];
    if (mark !== undefined && (open === '' || mark.startsWith(open))) open = open === '' ? mark : '';
    at = next;
  }
  return open !== '';
}
