import { X } from 'lucide-react';
import { t } from '../../i18n';
import { setView } from '../../state/listState';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { returnFocus } from '../parts/returnFocus';
import { TagName } from './TagName';

/** The tags by which the list is filtered. */
export function TagFilter() {
  const weft = useWeft();
  const chosen = useStore(weft.list, ({ view }) => view.tags);
  const tags = useStore(weft.server, ({ order }) => order.tags);
  if (chosen.length === 0) return null;
  return (
    <ul className="tag-filter" aria-label={t('tags.filter')}>
      {chosen.map((id) => {
        const tag = (tags ?? []).find((one) => one.id === id);
        const name = oneLine(tag?.name ?? '') || t('tags.gone');
        return (
          <li key={id}>
            <button
              type="button"
              className="tag-chip"
              aria-label={t('tags.unfilter', { name })}
              title={t('tags.unfilter', { name })}
              onClick={() => {
                setView(weft.list, { tags: chosen.filter((one) => one !== id) });
                returnFocus(
                  () => document.querySelector('.tag-chip'),
                  () => document.querySelector('.view-button'),
                );
              }}
            >
              <TagName name={name} tone={tag?.tone ?? 0} />
              <X size={12} aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
