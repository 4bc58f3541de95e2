import { GitCommitHorizontal, ListChecks, Undo2 } from 'lucide-react';
import { t } from '../../i18n';
import { useRunSummary } from '../../queries/runs';
import { promptText } from '../../state/promptText';
import { useWeft } from '../../state/weft';
import type { Message } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import type { RunSummary } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { count, duration, money, short } from '../parts/numbers';
import { useReading } from './reading';
import './run-footer.css';

/** What a finished turn did and used, in one line, with its actions. */
export function RunFooter({ message }: { message: Message }) {
  const { session } = useReading();
  const { data, isPending } = useRunSummary(session.spaceId, message.runId);
  const used = usedBy(message.usage);
  return (
    <footer className="run-footer tabular">
      {data !== undefined && <Done summary={data} />}
      {used.tokens > 0 && <span>{t('run.footer.tokens', { n: short(used.tokens) })}</span>}
      {used.cost !== '' && <span>{used.cost}</span>}
      {/* Only the summary knows how long the turn waited for the user. */}
      {!isPending && (
        <span>{duration(Math.max(0, message.endedAt - message.createdAt - (data?.waitedMs ?? 0)))}</span>
      )}
      {data !== undefined && data.files > 0 && <Actions summary={data} />}
    </footer>
  );
}

function Done({ summary }: { summary: RunSummary }) {
  const { files, added, removed, commands, commandsFailed, failed } = summary;
  const others = failed - Math.max(0, commandsFailed);
  return (
    <>
      {files > 0 && (
        <span>
          {t('run.footer.files', { count: files, n: count(files) })}{' '}
          <Counts added={added} removed={removed} />
        </span>
      )}
      {commands > 0 && (
        <span>
          {t(commandsFailed > 0 ? 'run.footer.commandsSomeFailed' : 'run.footer.commands', {
            count: commands,
            n: count(commands),
            failed: count(commandsFailed),
          })}
        </span>
      )}
      {others > 0 && (
        <span>
          {t(commandsFailed > 0 ? 'run.footer.othersFailed' : 'run.footer.failed', {
            count: others,
            n: count(others),
          })}
        </span>
      )}
    </>
  );
}

function Actions({ summary }: { summary: RunSummary }) {
  const weft = useWeft();
  const { session } = useReading();
  const { spaceId } = session;
  return (
    <div className="run-footer-actions">
      <button type="button" className="text-button" onClick={() => weft.openPanel('changes')}>
        <ListChecks size={13} aria-hidden />
        {t('run.footer.review')}
      </button>
      {summary.promptId !== '' && (
        <button
          type="button"
          className="text-button"
          onClick={() => weft.dialogs.set({ undoSince: { spaceId, messageId: summary.promptId } })}
        >
          <Undo2 size={13} aria-hidden />
          {t('run.footer.undo')}
        </button>
      )}
      {summary.repository && (
        <button
          type="button"
          className="text-button"
          onClick={() =>
            weft.dialogs.set({ commit: { spaceId, prompt: promptText(session, summary.promptId) } })
          }
        >
          <GitCommitHorizontal size={13} aria-hidden />
          {t('run.footer.commit')}
        </button>
      )}
    </div>
  );
}

/** The usage that the agent reported, if any. */
function usedBy(usage: Json | undefined): { tokens: number; cost: string } {
  const told = objectOf(usage);
  const tokens = told?.['totalTokens'];
  const cost = objectOf(told?.['cost']);
  const { amount, currency } = cost ?? {};
  return {
    tokens: typeof tokens === 'number' ? tokens : 0,
    cost:
      typeof amount === 'number' && amount > 0 && typeof currency === 'string' ? money(amount, currency) : '',
  };
}
