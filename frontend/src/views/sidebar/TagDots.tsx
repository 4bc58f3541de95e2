import { memo } from 'react';
import { joinFacts } from '../../i18n/formats';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { toneStyle } from './tones';
import './tags.css';

/** Most tags shown of a space. */
const most = 3;

/** The tags of a space as colored dots, with their names as tooltip and for screen readers. */
export const TagDots = memo(function TagDots({ ids }: { ids: readonly string[] | null }) {
  const weft = useWeft();
  const all = useStore(weft.server, ({ order }) => order.tags);
  const tags = (ids ?? []).flatMap((id) => (all ?? []).find((tag) => tag.id === id) ?? []);
  if (tags.length === 0) return null;
  const names = joinFacts(tags.map(({ name }) => oneLine(name)));
  return (
    <span className="tag-dots" title={names}>
      {tags.slice(0, most).map(({ id, tone }) => (
        <span key={id} className="tag-dot" style={toneStyle(tone)} aria-hidden />
      ))}
      <span className="visually-hidden">{names}</span>
    </span>
  );
});
