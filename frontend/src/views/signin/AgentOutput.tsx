import { ExternalLink } from 'lucide-react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { useAgentOutput } from '../../queries/runs';
import { useWeft } from '../../state/weft';
import type { SignInTarget } from '../../transport/api';
import { hostOf } from './hostOf';
import { readOutput } from './wordLinks';
import './signIn.css';

/** The output of a waiting agent outside of the protocol, which often says where to sign in. */
export function AgentOutput({ target }: { target: SignInTarget }) {
  const weft = useWeft();
  const { data } = useAgentOutput(target);
  const { text, links } = readOutput(data?.text ?? '');
  if (text === '') return null;
  return (
    <div className="agent-output" role="status">
      <p className="sign-in-note">{t('signIn.writes')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre className="code-box" tabIndex={0}>
        {text}
      </pre>
      {links.map((link) => (
        <button key={link} type="button" className="button" title={link} onClick={() => openLink(weft, link)}>
          {t('signIn.open', { host: hostOf(link) })}
          <ExternalLink size={12} aria-hidden />
        </button>
      ))}
    </div>
  );
}
