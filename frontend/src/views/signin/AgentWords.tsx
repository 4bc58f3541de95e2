import { ExternalLink } from 'lucide-react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { useAgentWords } from '../../queries/runs';
import { useWeft } from '../../state/weft';
import type { SignInTarget } from '../../transport/api';
import { hostOf } from './hostOf';
import { readWords } from './wordLinks';
import './signIn.css';

/** What an agent that waits has written beside the protocol: many say there where the user signs in. */
export function AgentWords({ target }: { target: SignInTarget }) {
  const weft = useWeft();
  const { data } = useAgentWords(target);
  const { text, links } = readWords(data?.text ?? '');
  if (text === '') return null;
  return (
    <div className="agent-words" role="status">
      <p className="sign-in-note">{t('signIn.writes')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key */}
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
