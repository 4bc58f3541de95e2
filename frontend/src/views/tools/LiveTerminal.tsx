import { Terminal as Xterm } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { keyOf } from '../../keyboard/layout';
import type { GrowingText } from '../../transcript/text';
import { oneLine } from '../parts/clean';
import { unwrapped } from './command';
import type { Screen } from './terminal';
import { fontOf, themeOf } from './xtermTheme';

// The size of every terminal, as backend/terminal has it.
const rows = 24;
const cols = 90;

/** A terminal that is being written to. It can be read, scrolled, selected and copied; not typed into. */
export default function LiveTerminal({ screen, length }: { screen: Screen; length: number }) {
  const box = useRef<HTMLDivElement>(null);
  const term = useRef<Xterm | null>(null);
  const drawn = useRef<{ before: string; text: GrowingText | undefined; at: number } | null>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const xterm = new Xterm({
      rows,
      cols,
      disableStdin: true,
      convertEol: true,
      scrollback: 5000,
      cursorBlink: false,
      cursorInactiveStyle: 'none',
      minimumContrastRatio: 4.5,
      // What a program sends never opens anything.
      linkHandler: { activate: () => {} },
      ...fontOf(element),
      theme: themeOf(element),
    });
    xterm.open(element);
    xterm.textarea?.setAttribute('tabindex', '-1');
    xterm.textarea?.setAttribute('aria-hidden', 'true');
    xterm.attachCustomKeyEventHandler(() => false);
    // It is as tall as what it holds, until that is a screen.
    const measure = () => {
      const { active } = xterm.buffer;
      const used = active.baseY > 0 || active.type === 'alternate' ? rows : Math.max(1, lastUsed(xterm));
      const line = (element.querySelector<HTMLElement>('.xterm-screen')?.offsetHeight ?? 0) / rows;
      element.style.height = `${Math.ceil(used * line)}px`;
    };
    xterm.onWriteParsed(measure);
    measure();
    const repaint = new MutationObserver(() => {
      xterm.options.theme = themeOf(element);
    });
    repaint.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    term.current = xterm;
    drawn.current = null;
    return () => {
      repaint.disconnect();
      xterm.dispose();
      term.current = null;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a text grows in place; its length tells that it did
  useEffect(() => {
    const xterm = term.current;
    if (xterm === null) return;
    const { before, text } = screen;
    const last = drawn.current;
    let at = 0;
    if (last !== null && last.text === text && last.before === before) {
      at = last.at;
    } else if (last !== null && last.before === before && last.text === undefined) {
      at = 0; // the first that comes
    } else {
      // What is held is another text: pulled, or what is behind a gap.
      xterm.reset();
      xterm.write(before);
    }
    for (const piece of text?.from(at) ?? []) xterm.write(piece);
    drawn.current = { before, text, at: text?.end ?? 0 };
  }, [screen.before, screen.text, length]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no part of a form
    <div
      className="terminal-screen"
      role="group"
      aria-label={labelOf(screen.command)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key
      tabIndex={0}
      onKeyDown={(event) => {
        const by = scrolls[event.key];
        if (by !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
          event.preventDefault();
          event.stopPropagation();
          term.current?.scrollLines(by);
        }
        if (
          keyOf(event) === 'c' &&
          (event.ctrlKey || event.metaKey) &&
          term.current?.hasSelection() === true
        ) {
          event.preventDefault();
          void navigator.clipboard.writeText(term.current.getSelection());
        }
      }}
    >
      <div ref={box} className="terminal-rows" />
    </div>
  );
}

/** What a terminal is called. The command of one that an agent only shows isn't known. */
function labelOf(command: string): string {
  const line = oneLine(unwrapped(command));
  return line === '' ? t('tool.terminal') : t('terminal.live', { command: line.slice(0, 120) });
}

const scrolls: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: 1 - rows,
  PageDown: rows - 1,
  Home: -10_000,
  End: 10_000,
};

function lastUsed(xterm: Xterm): number {
  const { active } = xterm.buffer;
  for (let row = rows - 1; row > active.cursorY; row--) {
    if (active.getLine(row)?.translateToString(true) !== '') return row + 1;
  }
  const text = active.getLine(active.cursorY)?.translateToString(true) ?? '';
  return text === '' ? active.cursorY : active.cursorY + 1;
}
