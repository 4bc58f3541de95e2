import { useRef, useState } from 'react';
import { openLink } from '../../commands/links';
import { segmentText } from '../../commands/transcript';
import { t } from '../../i18n';
import { MarkdownDocument, MarkdownView } from '../../markdown';
import { showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import { DetachedMatch } from '../find/DetachedMatch';
import { inactiveWhile } from '../parts/inactiveWhile';
import { bytes as size } from '../parts/numbers';
import { useProsePlaces } from '../places/useProsePlaces';
import { labels } from './proseLabels';
import { useReading } from './reading';

const piece = 256 << 10;

/** The part of a very long text that isn't in memory. It is loaded in pieces, from its end. */
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
      showFailure(t('failed.text'), error);
    }
    setBusy(false);
  };
  return (
    <div ref={root} className="row threaded prose" data-kind="prose">
      <DetachedMatch messageId={messageId} segment={segment} item={-1} />
      {from > 0 && (
        <button type="button" className="text-button" {...inactiveWhile(busy)} onClick={() => void pull()}>
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
