import { openLink } from '../../commands/links';
import '@xterm/xterm/css/xterm.css';
import { ExternalLink } from 'lucide-react';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Auth, SignInTarget } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import '../tools/tools.css';
import { type End, runSignIn } from './terminalRun';

interface TerminalSignInProps {
  target: SignInTarget;
  method: Auth;
  onSignedIn(): void;
  onClose(): void;
}

const rows = 22;

/** A sign-in in a real terminal with input. Closing it ends its command. */
export default function TerminalSignIn({ target, method, onSignedIn, onClose }: TerminalSignInProps) {
  const weft = useWeft();
  const box = useRef<HTMLDivElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const [end, setEnd] = useState<End | null>(null);
  const [link, setLink] = useState('');
  const [attempt, setAttempt] = useState(0);
  const signedIn = useRef(onSignedIn);
  signedIn.current = onSignedIn;
  const what = useRef({ target, methodId: method.id });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt is a new terminal
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    setEnd(null);
    setLink('');
    return runSignIn(element, {
      weft,
      ...what.current,
      rows,
      onLink: setLink,
      leave: () => close.current?.focus(),
      onEnd: (how) => {
        setEnd(how);
        if (how.kind === 'exit' && how.code === 0) signedIn.current();
      },
    });
  }, [weft, attempt]);
  return (
    <figure className="sign-in-terminal terminal-view" data-running={end === null}>
      {/* biome-ignore lint/a11y/useSemanticElements: not part of a form */}
      <div
        className="terminal-screen"
        role="group"
        aria-label={t('signIn.terminal', { name: oneLine(method.name || method.id) })}
        style={{ '--rows': rows } as CSSProperties}
      >
        <div ref={box} className="sign-in-rows" />
      </div>
      {link !== '' && (
        <div className="sign-in-link" role="status">
          <code className="mono">{oneLine(link)}</code>
          <button type="button" className="button" onClick={() => openLink(weft, link)}>
            <ExternalLink size={13} aria-hidden />
            {t('signIn.openLink')}
          </button>
        </div>
      )}
      <figcaption className="terminal-foot">
        <span role="status">{end === null ? t('signIn.keys') : lines(words(end))}</span>
        <span className="grow" />
        {end !== null && !(end.kind === 'exit' && end.code === 0) && (
          <button type="button" className="button" onClick={() => setAttempt(attempt + 1)}>
            {t('again')}
          </button>
        )}
        <button ref={close} type="button" className="button plain" onClick={onClose}>
          {end === null ? t('signIn.endTerminal') : t('close')}
        </button>
      </figcaption>
    </figure>
  );
}

function words(end: End): string {
  if (end.kind === 'failed') return end.message;
  if (end.kind === 'signal') return t('signIn.signal', { signal: end.signal });
  return end.code === 0 ? t('signIn.ended') : t('signIn.exit', { code: end.code });
}
