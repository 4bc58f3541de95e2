import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { say } from '../../state/notify';
import { type Auth, offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { asCommandError } from '../../transport/transport';
import { lines, oneLine } from '../parts/clean';
import './signIn.css';

/** The ways to sign in that the agent offers; what waited for it goes on afterwards by itself. */
export function SignIn({ session, onDone }: { session: Session; onDone(): void }) {
  const weft = useWeft();
  const methods = useStore(session.store, ({ conversation }) => offeredOf(conversation)?.auth);
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  if (methods === undefined || methods === null || methods.length === 0) {
    return <p className="quiet-text">{t('signIn.none')}</p>;
  }
  const go = async (method: Auth) => {
    setBusy(method.id);
    setError('');
    try {
      await weft.transport.call('SignIn', { spaceId: session.spaceId, methodId: method.id });
      onDone();
    } catch (failure) {
      setError(asCommandError(failure).message);
    }
    setBusy('');
  };
  return (
    <div className="sign-in">
      <ul aria-label={t('signIn.label')}>
        {methods.map((method) => (
          <li key={method.id}>
            {method.type === 'agent' ? (
              <button type="button" className="button" disabled={busy !== ''} onClick={() => void go(method)}>
                <LogIn size={14} aria-hidden />
                {busy === method.id ? t('signIn.busy') : oneLine(method.name || method.id)}
              </button>
            ) : (
              <span className="sign-in-name">{oneLine(method.name || method.id)}</span>
            )}
            {method.description !== undefined && method.description !== '' && (
              <span className="sign-in-note">{oneLine(method.description)}</span>
            )}
            {method.type === 'terminal' && <CommandLine text={method.command ?? ''} />}
            {method.type === 'env_var' && (
              <span className="sign-in-note">
                {t('signIn.variables', { names: (method.variables ?? []).map(oneLine).join(', ') })}
              </span>
            )}
          </li>
        ))}
      </ul>
      {busy !== '' && (
        <button type="button" className="text-button" onClick={() => void weft.transport.call('CancelTest')}>
          {t('signIn.cancel')}
        </button>
      )}
      {error !== '' && (
        <p className="sign-in-error" role="alert">
          {lines(error)}
        </p>
      )}
    </div>
  );
}

/** What the person runs in a terminal of their own. */
function CommandLine({ text }: { text: string }) {
  return (
    <span className="sign-in-command">
      <code className="mono">{oneLine(text)}</code>
      <button
        type="button"
        className="text-button"
        onClick={() => void copyText(text).then(() => say(t('copied')))}
      >
        {t('copy')}
      </button>
    </span>
  );
}
