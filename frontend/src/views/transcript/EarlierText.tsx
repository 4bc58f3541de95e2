import { useRef, useState } from 'react';
import { openLink } from '../../commands/links';
import { segmentText } from '../../commands/transcript';
import { t } from '../../i18n';
import { MarkdownDocument, MarkdownView } from '../../markdown';
import { sayFailed } from '../../state/notify';
import { useWeft } from '../../state/weft';
import { FoundApart } from '../find/FoundApart';
import { bytes as size } from '../parts/numbers';
import { resting } from '../parts/resting';
import { useProsePlaces } from '../places/useProsePlaces';
import { labels } from './proseLabels';
import { useReading } from './reading';

const piece = 256 << 10;

/** The part of a very long text that is not held. It is pulled in pieces, from its end. */
export function EarlierText({
  messageId,
  segment,
  bytes,
}: {
  messageId: string;
  segment: number;
  bytes: number;
}) {
  const { session, hold } = useReading();
  const weft = useWeft();
  const root = useRef<HTMLDivElement>(null);
  const menu = useProsePlaces(root, session.spaceId);
  const [from, setFrom] = useState(bytes);
  const [parts, setParts] = useState<readonly { from: number; document: MarkdownDocument }[]>([]);
  const [busy, setBusy] = useState(false);
  const pull = async () => {
    hold();
    setBusy(true);
    try {
      const { text, start } = await segmentText(weft, {
        spaceId: session.spaceId,
        messageId,
        segment,
        from: Math.max(0, from - piece),
        to: from,
      });
      setParts((before) => [{ from: start, document: MarkdownDocument.of(text) }, ...before]);
      setFrom(start);
    } catch (error) {
      sayFailed(t('failed.text'), error);
    }
    setBusy(false);
  };
  return (
    <div ref={root} className="row threaded prose" data-kind="prose">
      <FoundApart messageId={messageId} segment={segment} item={-1} />
      {from > 0 && (
        <button type="button" className="text-button" {...resting(busy)} onClick={() => void pull()}>
          {t('transcript.earlierText', { size: size(from) })}
        </button>
      )}
      {parts.map((part) => (
        <MarkdownView
          key={part.from}
          document={part.document}
          labels={labels}
          onOpenLink={(url) => openLink(weft, url)}
        />
      ))}
      {menu}
    </div>
  );
}
