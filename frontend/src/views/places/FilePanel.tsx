import { Copy, SquarePen } from 'lucide-react';
import { useEffect } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../i18n';
import { isTyping } from '../../keyboard/actions';
import type { Preview } from '../../state/shown';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { Side } from '../shell/Side';
import { FileContent } from './FileContent';
import { focusOpener } from './opener';
import { useFolder, usePlaceActions } from './usePlaceActions';
import './places.css';

/** A file of a space, at a line, beside the conversation. */
export function FilePanel({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const preview = useStore(weft.shown, (state) => state.preview);
  const gone = preview === null || preview.spaceId !== spaceId;
  // A file of another space is not shown here.
  useEffect(() => {
    if (gone) weft.shown.set({ panel: null });
  }, [gone, weft]);
  return gone ? null : <FileSide key={preview.n} preview={preview} />;
}

function FileSide({ preview }: { preview: Preview }) {
  const weft = useWeft();
  const { spaceId, path, line } = preview;
  const { edit, copy } = usePlaceActions(spaceId);
  const folder = useFolder(spaceId);
  const home = useStore(weft.server, (state) => state.about.home);
  const name = oneLine(pathFrom(path, folder, home));
  const close = () => {
    // The restored panel takes the focus when it mounts, but the element that opened the file is a better place.
    flushSync(() => weft.closeFile());
    focusOpener();
  };
  const editLabel = t('places.edit');
  const copyLabel = t('places.copy');
  return (
    <Side
      title={t('preview.label', { path: name })}
      heading={
        <h2 className="file-title" title={oneLine(path)}>
          <span className="file-title-name mono truncate">
            <bdi>{name}</bdi>
          </span>
          {line > 0 && (
            <span className="file-title-line quiet-text tabular">
              {t('preview.line', { line: count(line) })}
            </span>
          )}
        </h2>
      }
      actions={
        <>
          <button
            type="button"
            className="icon-button"
            aria-label={editLabel}
            title={editLabel}
            onClick={() => void edit(preview)}
          >
            <SquarePen size={15} aria-hidden />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={copyLabel}
            title={copyLabel}
            onClick={() => void copy(preview)}
          >
            <Copy size={15} aria-hidden />
          </button>
        </>
      }
      onClose={close}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
        event.preventDefault();
        event.stopPropagation();
        void edit(preview);
      }}
    >
      <FileContent preview={preview} name={name} />
    </Side>
  );
}
