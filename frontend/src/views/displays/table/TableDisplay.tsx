import { useId, useState } from 'react';
import { t } from '../../../i18n';
import { copyText } from '../../../markdown/copyText';
import { showFailure } from '../../../state/notify';
import { oneLine } from '../../parts/clean';
import { count } from '../../parts/numbers';
import { asMarkdown, asTsv } from './copy';
import { Grid } from './Grid';
import { nothing, type Selection } from './selection';
import { rowsToCopy, type Table, useTable } from './useTable';
import '../figure.css';
import './table.css';

/** So few rows need no filter. */
const fewRows = 8;

export interface TableDisplayProps {
  /** The tool's input so far: `{ title?, columns?, rows }`. */
  input: unknown;
  /** More input is still arriving. */
  writing: boolean;
}

/** Rows to sort, filter and copy, from the input so far. */
export function TableDisplay({ input, writing }: TableDisplayProps) {
  const table = useTable(input, writing);
  const [selection, setSelection] = useState<Selection>(nothing);
  const id = useId();
  const title = oneLine(table.title);
  return (
    <figure className="table-display" aria-labelledby={title === '' ? undefined : `${id}-title`}>
      <div className="table-head">
        {title !== '' && (
          <figcaption id={`${id}-title`} className="figure-title truncate" dir="auto">
            {title}
          </figcaption>
        )}
        {(table.rows.length > fewRows || table.query !== '') && <Search table={table} />}
        <Copying table={table} selection={selection} />
      </div>
      {table.columns.length === 0 ? (
        <p className="table-empty quiet-text">
          {t(writing ? 'display.table.coming' : 'display.table.empty')}
        </p>
      ) : (
        <Grid
          table={table}
          label={title === '' ? t('display.table.label') : title}
          selection={selection}
          onSelect={setSelection}
          empty={emptyWords(table, writing)}
        />
      )}
      <Foot table={table} selection={selection} />
    </figure>
  );
}

export default TableDisplay;

function emptyWords({ rows, found }: Table, writing: boolean): string {
  if (rows.length > 0) return t('display.table.noMatch', { query: oneLine(found.slice(0, 60)) });
  return t(writing ? 'display.table.coming' : 'display.table.empty');
}

function Search({ table }: { table: Table }) {
  return (
    <div className="search table-search">
      <input
        type="search"
        value={table.query}
        placeholder={t('display.table.filter')}
        aria-label={t('display.table.filter')}
        spellCheck={false}
        onChange={(event) => table.setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || table.query === '') return;
          event.stopPropagation();
          table.setQuery('');
        }}
      />
    </div>
  );
}

function Copying({ table, selection }: { table: Table; selection: Selection }) {
  const [copied, setCopied] = useState('');
  const copy = async (write: typeof asTsv) => {
    const rows = rowsToCopy(table, selection);
    try {
      await copyText(write(table.columns, rows));
      setCopied(t('display.table.copied', { count: rows.length, n: count(rows.length) }));
    } catch (error) {
      showFailure(t('display.table.notCopied'), error);
    }
  };
  const disabled = table.standing.length === 0;
  return (
    <div className="table-copying">
      <output className="quiet-text table-copied">{copied}</output>
      <button
        type="button"
        className="button plain small"
        disabled={disabled}
        title={t('display.table.copyHint')}
        onBlur={() => setCopied('')}
        onClick={() => void copy(asTsv)}
      >
        {t('display.table.copy')}
      </button>
      <button
        type="button"
        className="button plain small"
        disabled={disabled}
        onBlur={() => setCopied('')}
        onClick={() => void copy(asMarkdown)}
      >
        {t('display.table.copyMarkdown')}
      </button>
    </div>
  );
}

/** Counts, and what the rows don't show. */
function Foot({ table, selection }: { table: Table; selection: Selection }) {
  const { rows, standing, found, unsorted, hiddenColumns } = table;
  if (rows.length === 0) return null;
  const n = count(standing.length);
  return (
    <div className="table-foot quiet-text tabular">
      <span aria-live="polite">
        {found === ''
          ? t('display.table.rows', { count: rows.length, n: count(rows.length) })
          : t('display.table.matches', { n, of: count(rows.length) })}
      </span>
      {selection.chosen.size > 0 && (
        <span aria-live="polite">{t('display.table.chosen', { n: count(selection.chosen.size) })}</span>
      )}
      {hiddenColumns > 0 && <span>{t('display.table.hidden', { count: hiddenColumns })}</span>}
      {unsorted > 0 && (
        <button type="button" className="text-button" onClick={table.sortAgain}>
          {t('display.table.sortAgain', { count: unsorted, n: count(unsorted) })}
        </button>
      )}
    </div>
  );
}
