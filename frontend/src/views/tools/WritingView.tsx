import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { isKnownLanguage, loadedMode, loadMode, type Mode } from '../../markdown/highlight/languages';
import { LineHighlighter } from '../../markdown/highlight/lineHighlighter';
import type { ToolCall } from '../../transcript/model';
import type { WrittenText } from '../../transcript/writing';
import { lines } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { pathOf, type Side, sideOf, useWritingTitle } from './writing';

/** Lines shown of a text that is being written. */
export const shownLines = 12;
/** Longest part shown of a line, and of a command. */
const longestLine = 400;
const longestCommand = 4000;

interface WritingViewProps {
  call: ToolCall;
  text: WrittenText;
}

/** What an agent is writing into a call: the end of a text, or the command so far. */
export function WritingView({ call, text }: WritingViewProps) {
  const title = useWritingTitle(call);
  // Announced once; the growing text itself is not read out.
  const [said, say] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first is said
  useEffect(() => say(t('writing.status', { title })), []);
  const side = sideOf(text, call.kind) ?? 'content';
  return (
    <div className="detail writing" data-side={side}>
      <span className="visually-hidden" role="status">
        {said}
      </span>
      {side === 'command' ? (
        <CommandSoFar text={text} />
      ) : (
        <LastLines
          key={`${text.field}${text.path}`}
          text={text}
          side={side}
          language={languageOf(pathOf(call))}
        />
      )}
    </div>
  );
}

/** The title of a call while it is being written. */
export function WritesTitle({ call }: { call: ToolCall }) {
  return useWritingTitle(call);
}

function CommandSoFar({ text }: { text: WrittenText }) {
  const { head, tail, length } = text;
  const command = length <= head.length ? head : `…${tail.slice(-longestCommand)}`;
  return (
    <pre className="code-box command">
      <span className="command-sign" aria-hidden>
        ${' '}
      </span>
      <Lines text={command} />
      <Cursor />
    </pre>
  );
}

function LastLines({ text, side, language }: { text: WrittenText; side: Side; language: string }) {
  const mode = useMode(language);
  const coloured = useRef<HighlightedWriting | null>(null);
  if (coloured.current === null || coloured.current.mode !== mode)
    coloured.current = new HighlightedWriting(mode);
  const last = text.last(shownLines);
  const open = text.tail.endsWith('\n') ? null : last.at(-1);
  return (
    <div className="detail-part">
      {side !== 'content' && <p className="detail-title">{t(`writing.${side === 'old' ? 'old' : 'new'}`)}</p>}
      <pre className="code-box writing-lines">
        {coloured.current
          .of(last, open?.number ?? Number.POSITIVE_INFINITY)
          .map(({ number, pieces }, i, all) => (
            <span key={number} className="writing-line" data-number={number}>
              <span className="diff-number tabular" aria-hidden>
                {number}
              </span>
              <span className="writing-text">
                {pieces}
                {i === all.length - 1 && open !== null && <Cursor />}
              </span>
            </span>
          ))}
        {open === null && (
          <span className="writing-line">
            <span className="diff-number tabular" aria-hidden>
              {text.lines + 1}
            </span>
            <span className="writing-text">
              <Cursor />
            </span>
          </span>
        )}
      </pre>
    </div>
  );
}

function Cursor() {
  return (
    <span className="writing-cursor" aria-hidden>
      ▊
    </span>
  );
}

interface Line {
  number: number;
  pieces: React.ReactNode;
}

/** Highlights every line once, when it is complete: the tokenizer continues from the previous line. */
class HighlightedWriting {
  readonly mode: Mode | undefined;
  private readonly highlighter: LineHighlighter | undefined;
  private done: Line[] = [];

  constructor(mode: Mode | undefined) {
    this.mode = mode;
    if (mode !== undefined) this.highlighter = new LineHighlighter(mode);
  }

  /** Returns the lines; the one that still grows is plain. */
  of(last: readonly { number: number; text: string }[], open: number): readonly Line[] {
    const after = this.done.at(-1)?.number ?? 0;
    for (const { number, text } of last)
      if (number > after && number < open) this.done.push({ number, pieces: this.colour(text) });
    this.done = this.done.slice(-shownLines);
    const first = last[0]?.number ?? 0;
    const growing = last.at(-1);
    const shown = this.done.filter(({ number }) => number >= first);
    return growing?.number === open ? [...shown, { number: open, pieces: short(growing.text) }] : shown;
  }

  private colour(text: string): React.ReactNode {
    if (this.highlighter === undefined || text.length > longestLine) return short(text);
    const pieces: React.ReactNode[] = [];
    this.highlighter.line(text, (piece, kind) => {
      const shown = lines(piece);
      pieces.push(
        kind === undefined ? (
          shown
        ) : (
          <span key={pieces.length} className={`tok-${kind}`}>
            {shown}
          </span>
        ),
      );
    });
    return pieces;
  }
}

/** The end of a long line, where it grows. */
function short(text: string): string {
  return lines(text.length > longestLine ? `…${text.slice(-longestLine)}` : text);
}

function useMode(language: string): Mode | undefined {
  const known = language !== '' && isKnownLanguage(language);
  const [mode, setMode] = useState<Mode | undefined>(known ? loadedMode(language) : undefined);
  useEffect(() => {
    if (!known) return;
    let wanted = true;
    void loadMode(language).then((loaded) => wanted && setMode(() => loaded));
    return () => {
      wanted = false;
    };
  }, [known, language]);
  return mode;
}

function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}
