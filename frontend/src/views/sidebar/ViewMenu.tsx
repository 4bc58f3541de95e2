import { Menu } from '@base-ui/react/menu';
import { Check, ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../i18n';
import type { Grouping, ListView, ProjectSorting, Sorting } from '../../state/list';
import { setView } from '../../state/listState';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { TagName } from './TagName';

const groupings: readonly Grouping[] = ['project', 'time'];
const sortings: readonly Sorting[] = ['activity', 'created', 'name'];
const projectSortings: readonly ProjectSorting[] = ['activity', 'hand'];

/** The menu for grouping, sorting and filtering the space list. */
export function ViewMenu() {
  const weft = useWeft();
  const view = useStore(weft.list, (state) => state.view);
  const tags = useStore(weft.server, ({ order }) => order.tags) ?? [];
  const change = (next: Partial<ListView>) => setView(weft.list, next);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="icon-button view-button"
        aria-label={t('list.view')}
        title={t('list.view')}
        data-filtered={view.tags.length > 0 || !view.imported || undefined}
      >
        <ListFilter size={15} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" collisionPadding={8}>
          <Menu.Popup className="menu view-menu">
            <Radios label={t('list.groupBy')} value={view.group} onChange={(group) => change({ group })}>
              {groupings.map((one) => ({ value: one, words: t(`list.groups.${one}`) }))}
            </Radios>
            <Menu.Separator className="menu-line" />
            <Radios label={t('list.sortBy')} value={view.sort} onChange={(sort) => change({ sort })}>
              {sortings.map((one) => ({ value: one, words: t(`list.sorts.${one}`) }))}
            </Radios>
            {view.group === 'project' && (
              <>
                <Menu.Separator className="menu-line" />
                <Radios
                  label={t('list.projectOrder')}
                  value={view.projects}
                  onChange={(projects) => change({ projects })}
                >
                  {projectSortings.map((one) => ({ value: one, words: t(`list.projects.${one}`) }))}
                </Radios>
              </>
            )}
            <Menu.Separator className="menu-line" />
            <Menu.CheckboxItem
              className="menu-item"
              checked={view.imported}
              onCheckedChange={(imported) => change({ imported })}
            >
              <Checked />
              {t('list.showImported')}
            </Menu.CheckboxItem>
            <Menu.Separator className="menu-line" />
            {tags.length > 0 && (
              <Menu.Group>
                <Menu.GroupLabel className="view-title">{t('list.onlyTagged')}</Menu.GroupLabel>
                {tags.map(({ id, name, tone }) => (
                  <Menu.CheckboxItem
                    key={id}
                    className="menu-item"
                    checked={view.tags.includes(id)}
                    onCheckedChange={(on) =>
                      change({ tags: on ? [...view.tags, id] : view.tags.filter((one) => one !== id) })
                    }
                  >
                    <Checked />
                    <TagName name={oneLine(name)} tone={tone} />
                  </Menu.CheckboxItem>
                ))}
              </Menu.Group>
            )}
            <Menu.Item className="menu-item" onClick={() => weft.dialogs.set({ tags: [] })}>
              <span className="view-check" />
              {t('action.manageTags')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Checked() {
  return (
    <span className="view-check">
      <Menu.CheckboxItemIndicator>
        <Check size={14} aria-hidden />
      </Menu.CheckboxItemIndicator>
    </span>
  );
}

interface RadiosProps<T extends string> {
  label: ReactNode;
  value: T;
  onChange(value: T): void;
  children: readonly { value: T; words: string }[];
}

function Radios<T extends string>({ label, value, onChange, children }: RadiosProps<T>) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className="view-title">{label}</Menu.GroupLabel>
      <Menu.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {children.map((one) => (
          <Menu.RadioItem key={one.value} value={one.value} className="menu-item">
            <span className="view-check">
              <Menu.RadioItemIndicator>
                <Check size={14} aria-hidden />
              </Menu.RadioItemIndicator>
            </span>
            {one.words}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
