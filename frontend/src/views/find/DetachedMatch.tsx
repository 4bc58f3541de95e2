import { useEffect, useState } from 'react';
import { findInSpace } from '../../commands/transcript';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { FindHit } from '../../transport/api';
import { withoutAnsi } from '../parts/ansi';
import { Lines } from '../parts/Lines';
import { useReading } from '../transcript/reading';
import { contextScore } from './fold';
import { type SpotMark, useTargetAt } from './spot';

/** Bytes of text shown around a match. */
const around = 2000;

interface FoundProps {
  messageId: string;
  segment: number;
  item: number;
}

/**
 * Shows the current match with its surroundings if that part of its text isn't rendered, because very long texts are
 * truncated.
 */
export function DetachedMatch({ messageId, segment, item }: FoundProps) {
  const { session, spot } = useReading();
  const weft = useWeft();
  const target = useTargetAt(spot, messageId, segment, item);
  const apart = useStore(spot, (state) => state.apart);
  const [hit, setHit] = useState<{ of: SpotMark; hit: FindHit } | null>(null);
  const mark = apart ? (target?.mark ?? null) : null;
  const { spaceId } = session;
  useEffect(() => {
    if (mark === null) return;
    let wanted = true;
    const within = { messageId, segment, item };
    findInSpace(weft, { spaceId, query: mark.query, within, limit: 1000, context: around }).then(
      ({ hits }) => {
        const found = bestMatch(hits, mark);
        if (wanted && found !== undefined) setHit({ of: mark, hit: found });
      },
      () => {}, // then that part just stays invisible
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, messageId, segment, item, mark]);
  if (mark === null || hit?.of !== mark) return null;
  const { before, text, after } = hit.hit;
  return (
    <div className="detail-part found-apart">
      <p className="detail-title">{t('find.apart')}</p>
      <pre className="code-box">
        <Lines text={withoutAnsi(before + text + after)} />
      </pre>
    </div>
  );
}

/** Finds the match for a highlight: the one at the same byte of the same text, else one with the same surroundings. */
function bestMatch(hits: readonly FindHit[], mark: SpotMark): FindHit | undefined {
  const same = hits.find(({ source, start }) => source === mark.source && start === mark.start);
  if (same !== undefined) return same;
  let best: FindHit | undefined;
  let how = 0;
  for (const hit of hits) {
    const now = contextScore(hit.before, hit.after, mark);
    if (now > how) {
      best = hit;
      how = now;
    }
  }
  return best;
}
