import { useMemo } from 'react';
import { t } from '../../i18n';
import type { ToolCall } from '../../transcript/model';
import type { Content, Location, Ref } from '../../transcript/types';
import { useBlobText } from './BlobText';
import { Piece } from './Piece';
import { Places } from './Places';

const limit = 8 << 20;

interface ContentBlobProps {
  blob: Ref;
  /** The call with this content. */
  call?: ToolCall;
  diffsOnly?: boolean;
}

/** Content of a call that is too large for its event. */
export function ContentBlob({ blob, call, diffsOnly = false }: ContentBlobProps) {
  const { list, note } = useList<Content>(blob);
  if (list === null) return <p className="quiet-text delayed">{note}</p>;
  const shown =
    diffsOnly && list.some(({ type }) => type === 'diff') ? list.filter(({ type }) => type === 'diff') : list;
  // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
  return shown.map((piece, i) => <Piece key={i} content={piece} {...(call !== undefined && { call })} />);
}

export function LocationsBlob({ blob }: { blob: Ref }) {
  const { list, note } = useList<Location>(blob);
  return list === null ? <p className="quiet-text delayed">{note}</p> : <Places locations={list} />;
}

function useList<T>(blob: Ref): { list: T[] | null; note: string } {
  const { text, failed } = useBlobText(blob, limit);
  const list = useMemo(() => (text === null ? null : parsed<T>(text)), [text]);
  const broken = failed || (text !== null && list === null);
  return { list, note: broken ? t('tool.blobFailed') : t('loading') };
}

function parsed<T>(text: string): T[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as T[]) : null;
  } catch {
    return null;
  }
}
