import { useId } from 'react';
import { t } from '../../i18n';
import { ValueRows } from '../secrets/ValueRows';
import type { Draft } from './forms';

const types = ['stdio', 'http', 'sse'] as const;

/** The connection of a server: its command, or its URL. */
export function McpFields({ draft, onChange }: { draft: Draft; onChange(draft: Draft): void }) {
  const id = useId();
  const set = (what: Partial<Draft>) => onChange({ ...draft, ...what });
  return (
    <>
      <Text
        id={`${id}-name`}
        label={t('mcp.name')}
        value={draft.name}
        required
        onChange={(name) => set({ name })}
      />
      <fieldset className="form-field mcp-types">
        <legend className="form-label">{t('mcp.type')}</legend>
        <div className="segments">
          {types.map((type) => (
            <label key={type} className="segment" data-chosen={draft.type === type}>
              <input
                type="radio"
                name={`${id}-type`}
                checked={draft.type === type}
                onChange={() => set({ type })}
              />
              {t(`mcp.types.${type}`)}
            </label>
          ))}
        </div>
      </fieldset>
      {draft.type === 'stdio' ? (
        <>
          <Text
            id={`${id}-command`}
            label={t('mcp.command')}
            value={draft.command}
            mono
            required
            onChange={(command) => set({ command })}
          />
          <Text
            id={`${id}-args`}
            label={t('mcp.args')}
            note={t('agentForm.argsNote')}
            value={draft.args}
            mono
            onChange={(args) => set({ args })}
          />
          <ValueRows label={t('mcp.env')} kind="variable" rows={draft.env} onChange={(env) => set({ env })} />
        </>
      ) : (
        <>
          <Text
            id={`${id}-url`}
            label={t('mcp.url')}
            value={draft.url}
            mono
            required
            placeholder="https://example.org/mcp"
            onChange={(url) => set({ url })}
          />
          <ValueRows
            label={t('mcp.headers')}
            kind="header"
            rows={draft.headers}
            onChange={(headers) => set({ headers })}
          />
        </>
      )}
    </>
  );
}

interface TextProps {
  id: string;
  label: string;
  value: string;
  note?: string;
  mono?: boolean;
  required?: boolean;
  placeholder?: string;
  onChange(value: string): void;
}

function Text({ id, label, value, note, mono = false, required = false, placeholder, onChange }: TextProps) {
  return (
    <div className="form-field">
      <label className="form-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={mono ? 'field mono' : 'field'}
        value={value}
        required={required}
        spellCheck={false}
        autoComplete="off"
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(note === undefined ? {} : { 'aria-describedby': `${id}-note` })}
        onChange={(event) => onChange(event.target.value)}
      />
      {note !== undefined && (
        <span id={`${id}-note`} className="form-note">
          {note}
        </span>
      )}
    </div>
  );
}
