import { useEffect, useReducer, useState } from 'react';
import { loadedMode, loadMode, type Mode } from '../../markdown/highlight/languages';
import { LineHighlighter } from '../../markdown/highlight/lineHighlighter';
import { lastName } from '../parts/paths';

export type Piece = [text: string, kind: string | undefined];

/** How many characters per side are highlighted; the rest stays plain. */
const most = 600_000;
const budget = 4;

/** Highlights one side line by line in the background, from the first line on. */
class Highlighting {
  readonly pieces: Piece[][] = [];
  private readonly highlighter: LineHighlighter;
  private readonly lines: readonly string[];
  private spent = 0;

  constructor(mode: Mode, lines: readonly string[]) {
    this.highlighter = new LineHighlighter(mode);
    this.lines = lines;
  }

  /** Highlights until a deadline. Returns true if nothing is left. */
  go(until: number): boolean {
    while (this.pieces.length < this.lines.length && this.spent < most) {
      const line = (this.lines[this.pieces.length] ?? '').replace(/\r?\n$/, '');
      const pieces: Piece[] = [];
      this.highlighter.line(line, (text, kind) => pieces.push([text, kind]));
      this.pieces.push(pieces);
      this.spent += line.length + 1;
      if (performance.now() > until) return false;
    }
    return true;
  }
}

export interface HighlightedSides {
  old: readonly Piece[][];
  new: readonly Piece[][];
}

const plain: HighlightedSides = { old: [], new: [] };

/** The highlighting of both sides of a diff so far. The text never waits for it. */
export function useHighlighting(
  path: string,
  sides: { old: readonly string[]; new: readonly string[] },
): HighlightedSides {
  const language = languageOf(path);
  const [mode, setMode] = useState(() => loadedMode(language));
  useEffect(() => {
    let wanted = true;
    setMode(loadedMode(language));
    void loadMode(language).then((found) => wanted && setMode(() => found));
    return () => {
      wanted = false;
    };
  }, [language]);
  const [found, setFound] = useState<{ of: object; colours: HighlightedSides } | null>(null);
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (mode === undefined) return;
    const after = new Highlighting(mode, sides.new);
    const before = new Highlighting(mode, sides.old);
    setFound({ of: sides, colours: { old: before.pieces, new: after.pieces } });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      const until = performance.now() + budget;
      const done = after.go(until) && before.go(until);
      again();
      if (!done) timer = setTimeout(work, 8);
    };
    work();
    return () => clearTimeout(timer);
  }, [mode, sides]);
  return found !== null && found.of === sides ? found.colours : plain;
}

function languageOf(path: string): string {
  const name = lastName(path).toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot < 0 ? name : name.slice(dot + 1);
}
