import { type ReactNode, useEffect, useState } from 'react';
import { blobText } from '../../commands/blobs';
import { t } from '../../i18n';
import type { Ref } from '../../transcript/types';
import { bytes } from '../parts/numbers';
import { AnsiText } from './AnsiText';

const first = 64 << 10;

interface BlobTextProps {
  blob: Ref;
  /** Renders the text; `whole` is true if that is all of it. */
  children?: ((text: string, whole: boolean) => ReactNode) | undefined;
}

/** A large text loaded on demand: first its start, all of it on request. */
export function BlobText({ blob, children: show }: BlobTextProps) {
  const [limit, setLimit] = useState(first);
  const { text, failed } = useBlobText(blob, limit);
  if (failed) return <p className="quiet-text">{t('tool.blobFailed')}</p>;
  if (text === null) return <p className="quiet-text delayed">{t('loading')}</p>;
  return (
    <>
      {show === undefined ? <AnsiText text={text} /> : show(text, blob.size <= limit)}
      {blob.size > limit && (
        <button type="button" className="text-button" onClick={() => setLimit(limit * 8)}>
          {t('tool.showMore', { shown: bytes(limit), all: bytes(blob.size) })}
        </button>
      )}
    </>
  );
}

export function useBlobText(blob: Ref | undefined, limit: number): { text: string | null; failed: boolean } {
  const [state, setState] = useState<{ text: string | null; failed: boolean }>({ text: null, failed: false });
  useEffect(() => {
    if (blob === undefined) return;
    let wanted = true;
    blobText(blob, limit).then(
      (text) => wanted && setState({ text, failed: false }),
      () => wanted && setState({ text: null, failed: true }),
    );
    return () => {
      wanted = false;
    };
  }, [blob, limit]);
  return state;
}
