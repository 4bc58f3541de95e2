import { Menu } from '@base-ui/react/menu';
import { Check, SlidersHorizontal } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { isMode } from '../../state/offered';
import type { Session } from '../../state/session';
import type { SessionOption } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { useFittingWidths } from '../parts/useFittingWidths';
import { OptionPicker } from './OptionPicker';
import { useChoices } from './useChoices';
import './options.css';

/** Widths of the composer from which two or three options fit in its row; the others are behind one button. */
const widths = [560, 720];
const moreOpen = 'more options';

/** A member's session options except the permission mode: model, thinking level, and other options of the agent. */
export const Options = memo(function Options({ session, memberId }: { session: Session; memberId: string }) {
  const { options: all, held, choose } = useChoices(session, memberId);
  const options = all.filter((option) => !isMode(option));
  const [open, setOpen] = useState('');
  const box = useRef<HTMLFieldSetElement>(null);
  const inRow = 1 + useFittingWidths(box, widths, '.composer');
  const selects = options.filter(({ type }) => type === 'select');
  const row = selects.slice(0, inRow);
  const rest = options.filter((option) => !row.includes(option));
  useActions(
    [...row, ...rest.filter(({ type }) => type === 'select')].map((option) => ({
      id: `option.${option.id}`,
      title: t('action.option', { name: oneLine(option.name) }),
      section: t('section.space'),
      ...(option.category === 'model' && { keys: 'mod+;' }),
      run: () => setOpen(row.includes(option) ? option.id : moreOpen),
    })),
  );
  if (options.length === 0) return null;
  return (
    <fieldset ref={box} className="options" aria-label={t('option.group')}>
      {row.map((option) => (
        <OptionPicker
          key={option.id}
          option={option}
          held={held(option)}
          open={open === option.id}
          onOpen={(next) => setOpen(next ? option.id : '')}
          onChoose={(value) => choose(option, value)}
        />
      ))}
      {rest.length > 0 && (
        <Menu.Root
          modal={false}
          open={open === moreOpen}
          onOpenChange={(next) => setOpen(next ? moreOpen : '')}
        >
          <Menu.Trigger className="icon-button quiet" aria-label={t('option.more')} title={t('option.more')}>
            <SlidersHorizontal size={14} aria-hidden />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner side="top" align="start" sideOffset={6}>
              <Menu.Popup className="menu picks">
                {rest.map((option) => (
                  <More key={option.id} option={option} onChoose={(value) => choose(option, value)} />
                ))}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </fieldset>
  );
});

function More({ option, onChoose }: { option: SessionOption; onChoose(value: string | boolean): void }) {
  if (typeof option.current === 'boolean') {
    return (
      <Menu.CheckboxItem
        className="menu-item pick"
        checked={option.current}
        onCheckedChange={onChoose}
        closeOnClick={false}
      >
        <span className="pick-mark">
          <Menu.CheckboxItemIndicator>
            <Check size={14} aria-hidden />
          </Menu.CheckboxItemIndicator>
        </span>
        <span className="pick-text">
          <span className="pick-name">{oneLine(option.name)}</span>
          {option.description !== undefined && (
            <span className="pick-note">{oneLine(option.description)}</span>
          )}
        </span>
      </Menu.CheckboxItem>
    );
  }
  return (
    <Menu.Group>
      <Menu.GroupLabel className="picks-title">{oneLine(option.name)}</Menu.GroupLabel>
      <Menu.RadioGroup value={option.current} onValueChange={onChoose}>
        {option.choices?.map((choice) => (
          <Menu.RadioItem key={choice.value} value={choice.value} className="menu-item pick">
            <span className="pick-mark">
              <Menu.RadioItemIndicator>
                <Check size={14} aria-hidden />
              </Menu.RadioItemIndicator>
            </span>
            <span className="pick-name">{oneLine(choice.name)}</span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
