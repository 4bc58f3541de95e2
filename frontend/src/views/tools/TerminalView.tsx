import { Check, CircleSlash, Copy, Square } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { blobText } from '../../commands/blobs';
import { killTerminal } from '../../commands/transcript';
import { t } from '../../i18n';
import { loadLater } from '../../state/loadLater';
import { say, showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import { lines } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { bytes, duration, running } from '../parts/numbers';
import { screenText } from '../parts/screenText';
import { fromLine } from '../parts/tail';
import { useSeconds } from '../parts/useNow';
import { useReading } from '../transcript/reading';
import { AnsiText } from './AnsiText';
import { unwrapped } from './command';
import { withoutExit } from './output';
import { TailText } from './TailText';
import { exitWords, type Screen } from './terminal';

const LiveTerminal = lazy(() => loadLater(() => import('./LiveTerminal')));

/** A terminal: live while its command runs, then its output and exit status. */
export function TerminalView({ screen, command = '' }: { screen: Screen; command?: string }) {
  const { before, text, gone, ref } = screen;
  const kept = ref !== undefined && !screen.running;
  const cut = kept ? screen.size - ref.size : gone;
  const line = unwrapped(command);
  return (
    <figure className="terminal-view" data-running={screen.running}>
      {line !== '' && (
        <pre className="terminal-command" title={line === command.trim() ? undefined : lines(command)}>
          <span className="command-sign" aria-hidden>
            ${' '}
          </span>
          <Lines text={line} />
        </pre>
      )}
      {cut > 0 && <p className="terminal-cut">{t('terminal.cut', { size: bytes(cut) })}</p>}
      {screen.running ? (
        <Live screen={screen} />
      ) : kept ? (
        <TailText blob={ref} />
      ) : (
        <AnsiText
          text={withoutExit(fromStart(before + (text?.toString() ?? ''), gone), screen.exit?.exitCode)}
          atEnd
        />
      )}
      <figcaption className="terminal-foot">
        <Exit screen={screen} />
        <CopyOutput screen={screen} />
        {screen.running && screen.id !== '' && <Kill terminalId={screen.id} />}
      </figcaption>
    </figure>
  );
}

/** The output in memory, starting at a whole line if its start is missing. */
function fromStart(text: string, gone: number): string {
  return gone > 0 ? fromLine(text) : text;
}

/** A real terminal while it is visible; otherwise a placeholder. */
function Live({ screen }: { screen: Screen }) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (box.current === null) return;
    const watcher = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true), {
      rootMargin: '200px',
    });
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={box} className="terminal-live">
      {seen && (
        <Suspense fallback={<AnsiText text={screen.before + (screen.text?.toString() ?? '')} live />}>
          <LiveTerminal screen={screen} length={screen.text?.length ?? 0} />
        </Suspense>
      )}
    </div>
  );
}

function Exit({ screen }: { screen: Screen }) {
  const now = useSeconds(screen.running);
  if (screen.running) {
    const past = screen.startedAt === 0 ? 0 : now - screen.startedAt;
    return (
      <span className="terminal-state" data-state="running">
        {t('status.running')}
        {past >= 1000 && <span className="tabular"> {running(past)}</span>}
      </span>
    );
  }
  const { exitCode } = screen.exit ?? {};
  const took = screen.durationMs === undefined ? '' : duration(screen.durationMs);
  const good = exitCode === 0;
  return (
    <span className="terminal-state" data-state={good ? 'good' : exitCode === undefined ? 'ended' : 'bad'}>
      {good ? <Check size={13} aria-hidden /> : <CircleSlash size={13} aria-hidden />}
      {exitWords(screen.exit ?? {})}
      {took !== '' && <span className="terminal-took tabular"> · {took}</span>}
    </span>
  );
}

function CopyOutput({ screen }: { screen: Screen }) {
  const copy = async () => {
    const { ref, before, text } = screen;
    const output =
      ref === undefined || screen.running ? before + (text?.toString() ?? '') : await blobText(ref, ref.size);
    await navigator.clipboard.writeText(screenText(output));
    say(t('copied'));
  };
  return (
    <button
      type="button"
      className="icon-button quiet terminal-copy"
      aria-label={t('terminal.copy')}
      title={t('terminal.copy')}
      onClick={() => void copy().catch((error: unknown) => showFailure(t('failed.copy'), error))}
    >
      <Copy size={13} aria-hidden />
    </button>
  );
}

function Kill({ terminalId }: { terminalId: string }) {
  const { session } = useReading();
  const weft = useWeft();
  const [ending, setEnding] = useState(false);
  const kill = async () => {
    setEnding(true);
    try {
      await killTerminal(weft, session.spaceId, terminalId);
    } catch (error) {
      setEnding(false);
      showFailure(t('failed.kill'), error);
    }
  };
  return (
    <button
      type="button"
      className="button"
      aria-disabled={ending}
      onClick={() => {
        if (!ending) void kill();
      }}
    >
      <Square size={11} aria-hidden />
      {ending ? t('terminal.killing') : t('terminal.kill')}
    </button>
  );
}
