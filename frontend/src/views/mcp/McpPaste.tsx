import { useId, useState } from 'react';
import { asCommandError, CommandError } from '../../commands/failure';
import { readMcpServers, saveMcpServer } from '../../commands/mcp';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { FormDialog } from '../parts/FormDialog';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { KeychainTrouble } from '../secrets/KeychainTrouble';
import { type Draft, formOf, freeName, pastedDraft } from './forms';
import { McpFields } from './McpFields';

interface Found {
  drafts: { draft: Draft; chosen: boolean }[];
  skipped: readonly string[];
}

/** Imports servers from the configuration of another program. Nothing is saved without being shown first. */
export function McpPaste({ taken, onClose }: { taken: readonly string[]; onClose(): void }) {
  const weft = useWeft();
  const id = useId();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const [busy, setBusy] = useState(false);
  const read = async () => {
    setError(null);
    try {
      const { servers, skipped } = await readMcpServers(weft, text);
      const names = [...taken];
      const drafts = (servers ?? []).map((server) => {
        const name = freeName(server.name, names);
        names.push(name);
        return { draft: { ...pastedDraft(server), name }, chosen: true };
      });
      setFound({ drafts, skipped: skipped ?? [] });
    } catch (failure) {
      setError(asCommandError(failure));
    }
  };
  const change = (at: number, what: Partial<Found['drafts'][number]>) =>
    found !== null &&
    setFound({ ...found, drafts: found.drafts.map((one, i) => (i === at ? { ...one, ...what } : one)) });
  const save = async () => {
    if (found === null) return;
    setBusy(true);
    setError(null);
    // One at a time: a saved server leaves the list, so that another try continues after it.
    let left = found.drafts;
    for (const one of found.drafts.filter(({ chosen }) => chosen)) {
      const form = formOf(one.draft);
      try {
        if (form.wrong !== null) {
          const why = t(`values.wrong.${form.wrong.why}`, { name: oneLine(form.wrong.name) });
          throw new CommandError('invalid', `${oneLine(one.draft.name)}: ${why}`);
        }
        await saveMcpServer(weft, '', form.server);
        left = left.filter((other) => other !== one);
      } catch (failure) {
        setFound({ ...found, drafts: left });
        setError(asCommandError(failure));
        setBusy(false);
        return;
      }
    }
    onClose();
  };
  const chosen = found?.drafts.filter((one) => one.chosen).length ?? 0;
  return (
    <FormDialog title={t('mcp.pasteTitle')} className="mcp-dialog" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void (found === null ? read() : save());
        }}
      >
        {found === null ? (
          <div className="form-field">
            <label className="form-label" htmlFor={id}>
              {t('mcp.pasteLabel')}
            </label>
            <textarea
              dir="auto"
              id={id}
              className="field mono"
              rows={10}
              value={text}
              placeholder={'{ "mcpServers": { "files": { "command": "…" } } }'}
              aria-describedby={`${id}-note`}
              onChange={(event) => setText(event.target.value)}
              spellCheck={false}
              required
            />
            <span id={`${id}-note`} className="form-note">
              {t('mcp.pasteNote')}
            </span>
          </div>
        ) : (
          <>
            <p className="form-note">{t('mcp.pasteFound')}</p>
            {found.drafts.map(({ draft, chosen: on }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed
              <div key={at} className="mcp-found">
                <input
                  type="checkbox"
                  aria-label={t('mcp.take', { name: oneLine(draft.name) })}
                  checked={on}
                  onChange={(event) => change(at, { chosen: event.target.checked })}
                />
                <details open={on && found.drafts.length <= 3}>
                  <summary>
                    {oneLine(draft.name)} <span className="tag">{t(`mcp.types.${draft.type}`)}</span>
                  </summary>
                  <div className="form">
                    <McpFields draft={draft} onChange={(next) => change(at, { draft: next })} />
                  </div>
                </details>
              </div>
            ))}
            {found.skipped.map((why) => (
              <p key={why} className="form-note">
                <Lines text={translated(why)} />
              </p>
            ))}
          </>
        )}
        {error !== null && <KeychainTrouble error={error} onFile={() => void save()} />}
        <div className="dialog-foot">
          {found !== null && (
            <button type="button" className="button plain" onClick={() => setFound(null)}>
              {t('mcp.back')}
            </button>
          )}
          <span className="grow" />
          <button type="button" className="button plain" onClick={onClose}>
            {t('cancel')}
          </button>
          <button
            type="submit"
            className="button primary"
            {...inactiveWhile(busy)}
            disabled={found !== null && chosen === 0}
          >
            {found === null ? t('mcp.read') : t('mcp.addMany', { count: chosen, n: chosen })}
          </button>
        </div>
      </form>
    </FormDialog>
  );
}
