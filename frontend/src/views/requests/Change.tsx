import { Columns2, Maximize2, Rows3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { t } from '../../i18n';
import { readKept, writeKept } from '../../state/ui';
import type { Content } from '../../transcript/types';
import { Counts, countsOf } from '../diff/Counts';
import { useHighlighting } from '../diff/highlighting';
import { PlainRow } from '../diff/PlainRow';
import {
  type CollapsedRows,
  firstChanged,
  lineEndMatters,
  plainRowsOf,
  type Row,
  rowsOf,
  type Sides,
  shortened,
  sidesBetween,
} from '../diff/rows';
import { hasHiddenCharacters } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { count } from '../parts/numbers';
import { PlaceLink } from '../places/PlaceLink';
import { useBlobText } from '../tools/BlobText';
import { useShortPath } from '../tools/usePath';
import { useReading } from '../transcript/reading';
import { Marked } from './ExactText';
import { FullDiff } from './FullDiff';

const limit = 4 << 20;
/** Lines shown at the start of a long run of one side, so that both sides are visible. */
const head = 8;
/** Rows rendered at once. */
const mostRows = 400;
/** Characters of a line rendered at once. */
const mostChars = 2000;

interface ChangeProps {
  content: Content;
  all: boolean;
}

/** The file change of a call, rendered like completed changes. */
export function Change({ content, all }: ChangeProps) {
  const before = useBlobText(content.oldRef, limit);
  const after = useBlobText(content.newRef, limit);
  const oldText = content.oldRef === undefined ? (content.oldText ?? '') : before.text;
  const newText = content.newRef === undefined ? (content.newText ?? '') : after.text;
  const sides = useMemo(
    () => (oldText === null || newText === null ? null : sidesBetween(oldText, newText, content.line)),
    [oldText, newText, content.line],
  );
  const [split, setSplit] = useState(() => readKept().changesSplit);
  const [full, setFull] = useState(false);
  const strange = useMemo(() => sides !== null && addsHidden(sides), [sides]);
  const path = useShortPath();
  const { session } = useReading();
  const name = content.path ?? '';
  const layout = split ? t('changes.unified') : t('changes.sideBySide');
  const cut = (content.oldRef?.size ?? 0) > limit || (content.newRef?.size ?? 0) > limit;
  const toggle = () => {
    writeKept({ changesSplit: !split });
    setSplit(!split);
  };
  return (
    <figure className="request-change" data-path={exactLine(name)} {...(strange && { 'data-acts': 'whole' })}>
      <figcaption className="request-change-head">
        <PlaceLink
          className="request-path mono"
          spaceId={session.spaceId}
          path={name}
          line={content.newFile === true || before.failed || after.failed ? 0 : firstChanged(sides)}
        >
          <Marked text={path(name)} />
        </PlaceLink>
        {content.newFile === true && <span className="diff-new">{t('diff.newFile')}</span>}
        {sides !== null && <Counts {...countsOf(sides)} />}
        <span className="grow" />
        <button
          type="button"
          className="icon-button quiet"
          aria-label={layout}
          title={layout}
          onClick={toggle}
        >
          {split ? <Rows3 size={14} aria-hidden /> : <Columns2 size={14} aria-hidden />}
        </button>
        <button type="button" className="text-button" onClick={() => setFull(true)}>
          <Maximize2 size={12} aria-hidden />
          {t('request.openDiff')}
        </button>
      </figcaption>
      {strange && <p className="request-warning">{t('request.deceptive')}</p>}
      {before.failed || after.failed || cut ? (
        <p className="quiet-text diff-empty" data-chars={1} data-lines={1} data-shut="">
          {t(cut ? 'request.tooLarge' : 'tool.blobFailed')}
        </p>
      ) : sides === null ? (
        <p className="quiet-text diff-empty delayed" data-loads="">
          {t('loading')}
        </p>
      ) : sides.hunks.length === 0 ? (
        <p className="quiet-text diff-empty">{t('diff.same')}</p>
      ) : (
        <Lines path={name} sides={sides} split={split} all={all} />
      )}
      {sides !== null && (
        <FullDiff
          open={full}
          path={name}
          sides={sides}
          split={split}
          onSplit={toggle}
          onClose={() => setFull(false)}
        />
      )}
    </figure>
  );
}

/** Reports whether an added line contains characters that hide or reorder text. */
function addsHidden(sides: Sides): boolean {
  return rowsOf(sides, false, new Set()).some(
    (row) =>
      row.kind === 'line' && row.cell.type === 'added' && hasHiddenCharacters(sides.new[row.cell.line] ?? ''),
  );
}

function Lines({ path, sides, split, all }: { path: string; sides: Sides; split: boolean; all: boolean }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [runs, setRuns] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => plainRowsOf(sides, split, open), [sides, split, open]);
  const shown = useMemo(
    () => (split || all ? rows : shortened(rows, sides, head, runs)),
    [rows, sides, split, all, runs],
  );
  const colours = useHighlighting(path, sides);
  const drawn = all ? shown : shown.slice(0, mostRows);
  const left = useMemo(() => (all ? null : rest(shown.slice(mostRows), sides)), [shown, all, sides]);
  return (
    <div className="request-lines" data-split={split || undefined}>
      {drawn.map((row, i) => {
        if (row.kind === 'rest')
          return (
            <button
              key={`rest ${row.from}`}
              type="button"
              className="change-fold request-run"
              data-type={row.type}
              data-chars={row.chars}
              data-lines={row.lines}
              data-shut=""
              onClick={() => setRuns(new Set([...runs, row.from]))}
            >
              {t(`request.more.${row.type}`, { count: row.lines, n: count(row.lines) })}
            </button>
          );
        return (
          <PlainRow
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are recreated together
            key={i}
            row={row}
            sides={sides}
            highlighted={colours}
            most={all ? Number.POSITIVE_INFINITY : mostChars}
            ends={lineEndMatters(sides)}
            onFold={(from) => setOpen(new Set([...open, from]))}
          />
        );
      })}
      {left !== null && left.lines > 0 && (
        <p className="request-cut change-at" data-chars={left.chars} data-lines={left.lines} data-shut="">
          {t('request.cut', { n: count(left.lines), chars: count(left.chars) })}
        </p>
      )}
    </div>
  );
}

/** Counts lines and characters in rows that aren't rendered. */
function rest(rows: readonly (Row | CollapsedRows)[], sides: Sides): { lines: number; chars: number } {
  let lines = 0;
  let chars = 0;
  const add = (cell: { type: string; side: 'old' | 'new'; line: number } | null) => {
    if (cell === null || cell.type === 'same') return;
    lines++;
    chars += sides[cell.side][cell.line]?.length ?? 0;
  };
  for (const row of rows) {
    if (row.kind === 'line') add(row.cell);
    else if (row.kind === 'pair') {
      add(row.left);
      add(row.right);
    } else if (row.kind === 'rest') {
      lines += row.lines;
      chars += row.chars;
    }
  }
  return { lines, chars };
}
