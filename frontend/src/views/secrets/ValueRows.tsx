import { Plus, X } from 'lucide-react';
import { t } from '../../i18n';
import { emptyRow, looksSecret, pastedRows, type Row } from './rows';
import { SecretLocation } from './SecretLocation';
import './secrets.css';

interface ValueRowsProps {
  label: string;
  kind: 'variable' | 'header';
  rows: readonly Row[];
  onChange(rows: Row[]): void;
}

/** Names and values, each of which can be a secret. */
export function ValueRows({ label, kind, rows, onChange }: ValueRowsProps) {
  const change = (key: number, what: Partial<Row>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...what } : row)));
  const paste = (row: Row) => (event: React.ClipboardEvent) => {
    const found = pastedRows(event.clipboardData.getData('text'));
    if (found === null || row.name !== '' || row.value !== '') return;
    event.preventDefault();
    onChange(rows.flatMap((one) => (one.key === row.key ? found : [one])));
  };
  return (
    <fieldset className="value-rows">
      <legend className="form-label">{label}</legend>
      {rows.map((row, at) => {
        const name = row.name.trim() || String(at + 1);
        return (
          <div className="value-row" key={row.key}>
            <input
              className="field mono"
              aria-label={t(`values.${kind}Name`, { n: at + 1 })}
              placeholder={t(`values.nameHint.${kind}`)}
              value={row.name}
              onPaste={paste(row)}
              onChange={(event) => change(row.key, { name: event.target.value })}
              onBlur={() => {
                // Guessed from the name; from then on the user decides.
                if (row.value === '' && row.ref === '' && looksSecret(row.name))
                  change(row.key, { secret: true });
              }}
              spellCheck={false}
              autoComplete="off"
            />
            <input
              className="field mono"
              type={row.secret ? 'password' : 'text'}
              aria-label={t('values.value', { name })}
              placeholder={row.secret && row.ref !== '' ? t('values.kept') : t('values.valueHint')}
              value={row.value}
              onChange={(event) => change(row.key, { value: event.target.value })}
              spellCheck={false}
              autoComplete="off"
            />
            <label className="value-secret">
              <input
                type="checkbox"
                aria-label={t('values.secretOf', { name })}
                checked={row.secret}
                // A stored secret is never shown: to make it plain, its value must be typed again.
                onChange={(event) =>
                  change(row.key, { secret: event.target.checked, ref: event.target.checked ? row.ref : '' })
                }
              />
              {t('values.secret')}
            </label>
            <button
              type="button"
              className="icon-button quiet"
              aria-label={t('values.remove', { name })}
              title={t('values.removeTitle')}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <X size={14} aria-hidden />
            </button>
          </div>
        );
      })}
      <div className="value-foot">
        <button type="button" className="text-button" onClick={() => onChange([...rows, emptyRow()])}>
          <Plus size={12} aria-hidden />
          {t(`values.add.${kind}`)}
        </button>
      </div>
      <SecretLocation
        refs={rows.flatMap(({ secret, ref, value }) => (secret ? [value === '' ? ref : ''] : []))}
      />
    </fieldset>
  );
}
