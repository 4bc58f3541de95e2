import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { Grouping } from '../../state/list';
import { setView } from '../../state/listState';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

const groupings: readonly Grouping[] = ['project', 'time'];

/** Palette actions for the space list. Its own shortcuts belong to its lines. */
export function useListActions(): void {
  const weft = useWeft();
  const group = useStore(weft.list, ({ view }) => view.group);
  useActions([
    {
      id: 'list.tags',
      title: t('action.manageTags'),
      section: t('section.spaces'),
      keywords: ['label', 'rename', 'color'],
      run: () => weft.dialogs.set({ tags: [] }),
    },
    ...groupings
      .filter((one) => one !== group)
      .map((one) => ({
        id: `list.${one}`,
        title: t(`action.groupBy.${one}`),
        section: t('section.spaces'),
        run: () => setView(weft.list, { group: one }),
      })),
  ]);
}
