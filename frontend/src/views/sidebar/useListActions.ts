import { pinSpaces } from '../../commands/list';
import { t } from '../../i18n';
import { type Action, useActions } from '../../keyboard/actions';
import type { Grouping } from '../../state/list';
import { setView } from '../../state/listState';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

const groupings: readonly Grouping[] = ['project', 'time'];

/** What can be done with the list of spaces from the palette. Its own keys are those of its lines. */
export function useListActions(): void {
  const weft = useWeft();
  const selected = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  const pinned = useStore(
    weft.server,
    ({ order }) => selected !== null && (order.pins ?? []).includes(selected),
  );
  const group = useStore(weft.list, ({ view }) => view.group);
  const ofSpace: Action[] =
    selected === null
      ? []
      : [
          {
            id: 'space.pin',
            title: t(pinned ? 'action.unpin' : 'action.pin'),
            section: t('section.space'),
            run: () => void pinSpaces(weft, [selected], !pinned),
          },
          {
            id: 'space.tags',
            title: t('action.tag'),
            section: t('section.space'),
            keywords: ['label'],
            run: () => weft.dialogs.set({ tags: [selected] }),
          },
        ];
  useActions([
    ...ofSpace,
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
