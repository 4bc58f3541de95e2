import { memo } from 'react';
import { beside } from '../../i18n/formats';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { toneStyle } from './tones';
import './tags.css';

/** So many tags of a space are drawn. */
const most = 3;

/** The tags of a space by their colors, and in words for those who point at them or hear them. */
export const TagDots = memo(function TagDots({ ids }: { ids: readonly string[] | null }) {
  const weft = useWeft();
  const all = useStore(weft.server, ({ order }) => order.tags);
  const tags = (ids ?? []).flatMap((id) => (all ?? []).find((tag) => tag.id === id) ?? []);
  if (tags.length === 0) return null;
  const names = beside(tags.map(({ name }) => oneLine(name)));
  return (
    <span className="tag-dots" title={names}>
      {tags.slice(0, most).map(({ id, tone }) => (
        <span key={id} className="tag-dot" style={toneStyle(tone)} aria-hidden />
      ))}
      <span className="visually-hidden">{names}</span>
    </span>
  );
});
