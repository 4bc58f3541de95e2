import { Terminal as Xterm } from '@xterm/xterm';
import { terminalSignIn } from '../../commands/agents';
import { asCommandError } from '../../commands/failure';
import type { Weft } from '../../state/weft';
import type { SignInTarget } from '../../transport/api';
import { fontOf, themeOf } from '../tools/xtermTheme';

export type End =
  | { kind: 'exit'; code: number }
  | { kind: 'signal'; signal: string }
  | { kind: 'failed'; message: string };

interface Run {
  weft: Weft;
  target: SignInTarget;
  methodId: string;
  rows: number;
  /** A link was clicked whose text was chosen by the command. */
  onLink(url: string): void;
  /** Moves the focus out of the terminal, which handles Tab itself. */
  leave(): void;
  onEnd(how: End): void;
}

/** Runs a sign-in in a terminal inside an element. Returns a function that ends it and everything it started. */
export function runSignIn(element: HTMLElement, run: Run): () => void {
  const { weft } = run;
  const xterm = new Xterm({
    rows: run.rows,
    cols: 80,
    scrollback: 2000,
    cursorBlink: false,
    minimumContrastRatio: 4.5,
    // Output of a program never opens anything automatically, and a link's text may show another address.
    linkHandler: { activate: (_, url) => /^https?:\/\//.test(url) && run.onLink(url) },
    ...fontOf(element),
    theme: themeOf(element),
  });
  xterm.open(element);
  size(xterm, element);
  // There may not be enough space where it opens, and it only draws what is visible.
  element.closest('figure')?.scrollIntoView({ block: 'nearest' });
  xterm.focus();

  let gone = false;
  let terminalId = '';
  let typed = '';
  let sending = false;
  // One request at a time, so that keys arrive in order.
  const send = async () => {
    if (sending || terminalId === '') return;
    sending = true;
    while (typed !== '' && !gone) {
      const text = typed.slice(0, 16_000);
      typed = typed.slice(text.length);
      try {
        await terminalSignIn.type(weft, { terminalId, text });
      } catch {
        typed = ''; // it has ended, which its output shows, or doesn't read input
      }
    }
    sending = false;
  };
  xterm.onData((data) => {
    typed += data;
    void send();
  });
  xterm.attachCustomKeyEventHandler((event) => {
    if (event.key === 'F6') {
      event.preventDefault();
      if (event.type === 'keydown') run.leave();
      return false;
    }
    const copies = event.key.toLowerCase() === 'c' && (event.ctrlKey || event.metaKey);
    if (copies && xterm.hasSelection()) {
      if (event.type === 'keydown') void navigator.clipboard.writeText(xterm.getSelection());
      return false;
    }
    // Let the browser paste, which the terminal handles.
    return !(event.key.toLowerCase() === 'v' && (event.ctrlKey || event.metaKey));
  });
  // Keys typed here belong to the command, not to the app.
  const keep = (event: Event) => event.stopPropagation();
  element.addEventListener('keydown', keep);

  const resized = new ResizeObserver(() => {
    if (size(xterm, element) && terminalId !== '') {
      const { rows, cols } = xterm;
      void terminalSignIn.resize(weft, { terminalId, rows, cols });
    }
  });
  resized.observe(element);
  const repaint = new MutationObserver(() => {
    xterm.options.theme = themeOf(element);
  });
  repaint.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });

  const follow = async () => {
    try {
      const { rows, cols } = xterm;
      const started = await terminalSignIn.start(weft, {
        ...run.target,
        methodId: run.methodId,
        rows,
        cols,
      });
      if (gone) return void terminalSignIn.end(weft, started.id);
      terminalId = started.id;
      void send();
      for (let from = 0; !gone; ) {
        const out = await terminalSignIn.output(weft, { terminalId, from });
        if (gone) return;
        if (out.offset !== from) xterm.reset(); // it wrote more than the buffer holds
        xterm.write(out.text);
        from = out.next;
        if (!out.ended) continue;
        xterm.options.disableStdin = true;
        run.onEnd(
          out.signal === '' ? { kind: 'exit', code: out.code } : { kind: 'signal', signal: out.signal },
        );
        return;
      }
    } catch (error) {
      if (!gone) run.onEnd({ kind: 'failed', message: asCommandError(error).message });
    }
  };
  void follow();

  return () => {
    gone = true;
    resized.disconnect();
    repaint.disconnect();
    element.removeEventListener('keydown', keep);
    xterm.dispose();
    if (terminalId !== '') void terminalSignIn.end(weft, terminalId);
  };
}

/** Fits the terminal's columns to its width. Returns whether they changed. */
function size(xterm: Xterm, element: HTMLElement): boolean {
  const width = element.querySelector<HTMLElement>('.xterm-screen')?.offsetWidth ?? 0;
  if (width === 0 || element.clientWidth === 0) return false;
  const cols = Math.max(20, Math.min(160, Math.floor((element.clientWidth - 14) / (width / xterm.cols))));
  if (cols === xterm.cols) return false;
  xterm.resize(cols, xterm.rows);
  return true;
}
