import { useState } from 'react';
import { declineImport, importConversations } from '../../commands/imports';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { useFoundConversations, useImport } from '../../queries/imports';
import { showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { FoundProgram } from '../../transport/api';
import { count } from '../parts/numbers';
import { ImportProgress } from './Progress';
import './programs.css';

/**
 * At the first start, offers to import conversations from other programs. It stays until the import is finished and
 * dismissed.
 */
export function ImportOffer({ first }: { first: boolean }) {
  const weft = useWeft();
  const [begun, setBegun] = useState(false);
  const [done, setDone] = useState(false);
  const found = useFoundConversations(first || begun);
  const { data: job } = useImport();
  const programs = (found.data?.programs ?? []).filter((program) => program.conversations > 0);
  const offered = first && found.data?.offer === true && programs.length > 0;
  if (done || !(offered || begun)) return null;
  const start = async () => {
    setBegun(true);
    try {
      await importConversations(weft, { programs: programs.map((program) => program.id) });
    } catch (error) {
      setBegun(false);
      showFailure(t('failed.import'), error);
    }
  };
  const decline = () => {
    setDone(true);
    void declineImport(weft).catch((error: unknown) => showFailure(t('failed.save'), error));
  };
  const over = begun && job !== undefined && !job.running && (job.report !== null || job.error !== '');
  return (
    <section className="import-offer" aria-labelledby="import-offer">
      <h2 id="import-offer" className="choice-title">
        {begun ? t('import.title') : foundSentence(programs)}
      </h2>
      {!begun && <p className="import-offer-note">{t('import.offerNote')}</p>}
      {begun && job !== undefined && <ImportProgress job={job} brief />}
      <div className="import-offer-foot" hidden={begun && !over}>
        {!begun && (
          <>
            <button type="button" className="button" onClick={() => void start()}>
              {t('import.start')}
            </button>
            <button type="button" className="text-button" onClick={decline}>
              {t('import.notNow')}
            </button>
          </>
        )}
        {over && (
          <>
            <button type="button" className="button" onClick={() => setDone(true)}>
              {t('close')}
            </button>
            <button type="button" className="text-button" onClick={() => weft.showSettings('import')}>
              {t('import.details')}
            </button>
          </>
        )}
      </div>
    </section>
  );
}

/** "Found 214 conversations from Claude Code, 37 from Codex" */
function foundSentence(programs: readonly FoundProgram[]): string {
  const [most, ...others] = [...programs].sort((a, b) => b.conversations - a.conversations);
  if (most === undefined) return '';
  const parts = [
    t('import.found', { count: most.conversations, n: count(most.conversations), program: most.name }),
    ...others.map((one) => t('import.foundOther', { n: count(one.conversations), program: one.name })),
  ];
  return joinFacts(parts);
}
