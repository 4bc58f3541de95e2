import { useId } from 'react';
import { t } from '../../i18n';
import type { McpTest } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import type { Draft } from './forms';
import { howOf, hows, listedTools, lookOf, looks, withTool } from './tools';

interface McpViaProps {
  draft: Draft;
  /** The tools found by a test, if there was one. */
  found: McpTest['tools'] | null;
  onChange(draft: Draft): void;
}

const vias = ['direct', 'gateway'] as const;

/** How agents reach a server's tools, and how Weft offers each of them. */
export function McpVia({ draft, found, onChange }: McpViaProps) {
  const id = useId();
  return (
    <>
      <fieldset className="form-field mcp-types" aria-describedby={`${id}-note`}>
        <legend className="form-label">{t('mcp.via')}</legend>
        <div className="segments">
          {vias.map((via) => (
            <label key={via} className="segment" data-chosen={draft.via === via}>
              <input
                type="radio"
                name={`${id}-via`}
                checked={draft.via === via}
                onChange={() => onChange({ ...draft, via })}
              />
              {t(`mcp.vias.${via}`)}
            </label>
          ))}
        </div>
        <span id={`${id}-note`} className="form-note">
          {t(`mcp.viaNote.${draft.via}`)}
          {draft.via === 'gateway' && draft.type === 'stdio' && ` ${t('mcp.viaHome')}`}
        </span>
      </fieldset>
      {draft.via === 'gateway' && <Tools draft={draft} found={found} onChange={onChange} />}
    </>
  );
}

function Tools({ draft, found, onChange }: McpViaProps) {
  const tools = listedTools(found ?? [], draft.tools);
  const change = (name: string, what: Parameters<typeof withTool>[2]) =>
    onChange({ ...draft, tools: withTool(draft.tools, name, what) });
  return (
    <div className="form-field">
      <span className="form-label">{t('mcp.toolList')}</span>
      {tools.length > 0 && (
        <>
          <ul className="mcp-switches" aria-label={t('mcp.toolList')}>
            {tools.map(({ name, description }) => {
              const how = howOf(draft.tools, name);
              return (
                <li key={name} data-off={how === 'off' || undefined}>
                  <span title={lines(description)}>
                    <code className="mono">{oneLine(name)}</code>{' '}
                    <span className="quiet-text">{oneLine(description)}</span>
                  </span>
                  <select
                    className="field"
                    aria-label={t('mcp.toolHow', { name: oneLine(name) })}
                    value={how}
                    onChange={({ target }) => change(name, { how: hows[target.selectedIndex] ?? how })}
                  >
                    {hows.map((one) => (
                      <option key={one} value={one}>
                        {t(`mcp.toolHows.${one}`)}
                      </option>
                    ))}
                  </select>
                  <select
                    className="field"
                    aria-label={t('mcp.toolLook', { name: oneLine(name) })}
                    value={lookOf(draft.tools, name)}
                    disabled={how === 'off'}
                    onChange={({ target }) => {
                      const look = looks[target.selectedIndex];
                      if (look !== undefined) change(name, { look });
                    }}
                  >
                    {looks.map((one) => (
                      <option key={one} value={one}>
                        {t(`mcp.toolLooks.${one}`)}
                      </option>
                    ))}
                  </select>
                </li>
              );
            })}
          </ul>
          <span className="form-note">{t('mcp.toolsNote')}</span>
        </>
      )}
      {found === null && <span className="form-note">{t('mcp.toolsLater')}</span>}
    </div>
  );
}
