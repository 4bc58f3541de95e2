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

// The size of every terminal, as in backend/agent/terminal.
const rows = 24;
const cols = 90;

/** A running terminal. Its output can be read, scrolled, selected and copied, but it takes no input. */
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
      // Output of a program never opens anything.
      linkHandler: { activate: () => {} },
      ...fontOf(element),
      theme: themeOf(element),
    });
    xterm.open(element);
    xterm.textarea?.setAttribute('tabindex', '-1');
    xterm.textarea?.setAttribute('aria-hidden', 'true');
    xterm.attachCustomKeyEventHandler(() => false);
    // As tall as its content, up to a full screen.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: a text grows in place; its length shows the change
  useEffect(() => {
    const xterm = term.current;
    if (xterm === null) return;
    const { before, text } = screen;
    const last = drawn.current;
    let at = 0;
    if (last !== null && last.text === text && last.before === before) {
      at = last.at;
    } else if (last !== null && last.before === before && last.text === undefined) {
      at = 0; // the first output
    } else {
      // The text was replaced: by a loaded one, or by what follows a gap.
      xterm.reset();
      xterm.write(before);
    }
    for (const piece of text?.from(at) ?? []) xterm.write(piece);
    drawn.current = { before, text, at: text?.end ?? 0 };
  }, [screen.before, screen.text, length]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: not part of a form
    <div
      className="terminal-screen"
      role="group"
      aria-label={labelOf(screen.command)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
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

/** The name of a terminal. The command of an agent's display-only terminal isn't known. */
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
