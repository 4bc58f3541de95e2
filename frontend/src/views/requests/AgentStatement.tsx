import { useState } from 'react';
import { t } from '../../i18n';
import { Marked } from './ExactText';

const most = 400;

/** What the agent says about its request, labeled as the agent's words. */
export function AgentStatement({ agent, sentences }: { agent: string; sentences: readonly string[] }) {
  const [open, setOpen] = useState(false);
  if (sentences.length === 0) return null;
  const text = sentences.map(ended).join(' ');
  const cut = !open && text.length > most;
  return (
    <p className="request-statement">
      <span className="request-statement-by">{t('request.says', { agent })}</span>{' '}
      <q>
        <Marked text={cut ? `${text.slice(0, most)}…` : text} words />
      </q>
      {cut && (
        <>
          {' '}
          <button type="button" className="text-button" onClick={() => setOpen(true)}>
            {t('request.saysMore')}
          </button>
        </>
      )}
    </p>
  );
}

/** A sentence with a final period, so that another one can follow. */
function ended(sentence: string, i: number, all: readonly string[]): string {
  return i === all.length - 1 || /[.!?:;…]$/.test(sentence) ? sentence : `${sentence}.`;
}
