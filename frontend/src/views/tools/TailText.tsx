import { useEffect, useState } from 'react';
import { blobTail } from '../../commands/blobs';
import { t } from '../../i18n';
import type { Ref } from '../../transcript/types';
import { bytes } from '../parts/numbers';
import { fromLine } from '../parts/tail';
import { AnsiText } from './AnsiText';

const first = 64 << 10;

interface TailTextProps {
  blob: Ref;
  /** Transforms the loaded text; `whole` is true if that is all of it. */
  read?: ((text: string, whole: boolean) => string) | undefined;
}

/** The end of a large output, which matters most; more of it on request. */
export function TailText({ blob, read = (text) => text }: TailTextProps) {
  const [limit, setLimit] = useState(first);
  const [text, setText] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let wanted = true;
    blobTail(blob, limit).then(
      (tail) => wanted && setText(blob.size > limit ? fromLine(tail) : tail),
      () => wanted && setFailed(true),
    );
    return () => {
      wanted = false;
    };
  }, [blob, limit]);
  if (failed) return <p className="quiet-text">{t('tool.blobFailed')}</p>;
  if (text === null) return <p className="quiet-text delayed">{t('loading')}</p>;
  return (
    <>
      {blob.size > limit && (
        <button type="button" className="text-button terminal-more" onClick={() => setLimit(limit * 8)}>
          {t('terminal.showMore', { shown: bytes(limit), all: bytes(blob.size) })}
        </button>
      )}
      <AnsiText text={read(text, blob.size <= limit)} most={limit} atEnd />
    </>
  );
}
