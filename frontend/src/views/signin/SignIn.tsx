import { ExternalLink, LogIn, SquareTerminal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { cancelTest, signIn } from '../../commands/agents';
import { asCommandError, type CommandError } from '../../commands/failure';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { translated } from '../../i18n/said';
import { loadLater } from '../../state/loadLater';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Auth, Member, SignInTarget } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { KeychainTrouble } from '../secrets/KeychainTrouble';
import { AgentOutput } from './AgentOutput';
import { hostOf } from './hostOf';
import { VariablesForm } from './VariablesForm';
import './signIn.css';

const TerminalSignIn = lazy(() => loadLater(() => import('./TerminalSignIn')));

/** The sign-in methods of a member's agent; work that was waiting continues automatically afterwards. */
export function SignIn({
  session,
  member: { id: memberId, agentId },
  leads,
  onDone,
}: {
  session: Session;
  member: Pick<Member, 'id' | 'agentId'>;
  /** There is no better fix, so the first method is the primary button. */
  leads: boolean;
  onDone(): void;
}) {
  const methods = useStore(session.store, ({ conversation }) => offeredOf(conversation, memberId)?.auth);
  if (methods === undefined || methods === null || methods.length === 0) {
    return <p className="quiet-text">{t('signIn.none')}</p>;
  }
  const target = { spaceId: session.spaceId, memberId };
  return <Ways target={target} agentId={agentId} methods={methods} leads={leads} onDone={onDone} />;
}

interface WaysProps {
  target: SignInTarget;
  agentId: string;
  methods: readonly Auth[];
  leads?: boolean;
  onDone(): void;
}

/** Sign-in methods of an agent, in a space or on their own. */
export function Ways({ target, agentId, methods, leads = false, onDone }: WaysProps) {
  const first = leads ? methods.find(isOffered) : undefined;
  const weft = useWeft();
  const kept = useStore(
    weft.server,
    ({ agents }) => agents.find(({ id }) => id === agentId)?.secretEnv ?? null,
  );
  // The method that is open because it needs input.
  const [open, setOpen] = useState('');
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<{ of: string; error: CommandError; again(): void } | null>(null);
  const go = async (method: Auth, values?: Record<string, string>) => {
    setBusy(method.id);
    setError(null);
    try {
      await signIn(weft, target, method.id, values);
      setOpen('');
      onDone();
    } catch (failure) {
      setError({ of: method.id, error: asCommandError(failure), again: () => void go(method, values) });
    }
    setBusy('');
  };
  const choose = (method: Auth) => {
    setError(null);
    if (method.type === 'agent') void go(method);
    else setOpen(open === method.id ? '' : method.id);
  };
  return (
    <div className="sign-in">
      <ul aria-label={t('signIn.label')}>
        {methods.map((method, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids may be repeated
          <li key={`${method.id} ${at}`}>
            <Way
              method={method}
              leads={method === first}
              busy={busy}
              open={open === method.id}
              onChoose={() => choose(method)}
            />
            {open === method.id && isOffered(method) && method.type === 'env_var' && (
              <VariablesForm
                method={method}
                kept={kept ?? {}}
                busy={busy === method.id}
                onSend={(values) => void go(method, values)}
                onClose={() => setOpen('')}
              />
            )}
            {open === method.id && isOffered(method) && method.type === 'terminal' && (
              <Suspense fallback={null}>
                <TerminalSignIn
                  target={target}
                  method={method}
                  onSignedIn={() => void go(method)}
                  onClose={() => setOpen('')}
                />
              </Suspense>
            )}
            {error?.of === method.id && isOffered(method) && (
              <KeychainTrouble error={error.error} onFile={error.again} />
            )}
          </li>
        ))}
      </ul>
      {busy !== '' && <AgentOutput target={target} />}
      {busy !== '' && (
        <button type="button" className="text-button" onClick={() => void cancelTest(weft)}>
          {t('signIn.cancel')}
        </button>
      )}
    </div>
  );
}

function isOffered({ problem, type }: Auth): boolean {
  return (problem ?? '') === '' && (type === 'agent' || type === 'terminal' || type === 'env_var');
}

interface WayProps {
  method: Auth;
  leads: boolean;
  busy: string;
  open: boolean;
  onChoose(): void;
}

function Way({ method, leads, busy, open, onChoose }: WayProps) {
  const weft = useWeft();
  const name = oneLine(translated(method.name) || method.id);
  const Icon = method.type === 'terminal' ? SquareTerminal : LogIn;
  return (
    <>
      {isOffered(method) ? (
        <button
          type="button"
          className={leads ? 'button primary' : 'button'}
          {...inactiveWhile(busy !== '')}
          {...(method.type === 'agent' ? {} : { 'aria-expanded': open })}
          onClick={onChoose}
        >
          <Icon size={14} aria-hidden />
          {busy === method.id ? t('signIn.busy') : name}
        </button>
      ) : (
        <span className="sign-in-name">{name}</span>
      )}
      {method.description !== undefined && method.description !== '' && (
        <span className="sign-in-note">{oneLine(translated(method.description))}</span>
      )}
      {!isOffered(method) && <span className="sign-in-note">{problemOf(method)}</span>}
      {isOffered(method) && method.type === 'terminal' && (
        <span className="sign-in-note">
          <Sentence
            text={withSlots((slot) => t('signIn.runs', { command: slot('command') }))}
            slots={{ command: <code className="mono">{oneLine(method.command ?? '')}</code> }}
          />
        </span>
      )}
      {isOffered(method) && method.link !== undefined && method.link !== '' && (
        <button
          type="button"
          className="text-button"
          title={method.link}
          onClick={() => openLink(weft, method.link ?? '')}
        >
          {t('signIn.link', { host: hostOf(method.link) })}
          <ExternalLink size={12} aria-hidden />
        </button>
      )}
    </>
  );
}

function problemOf({ problem, type }: Auth): string {
  if (problem === 'same_id') return t('signIn.sameId');
  if (problem === 'no_variables') return t('signIn.noVariables');
  return t('signIn.unknownType', { type: oneLine(type) });
}
