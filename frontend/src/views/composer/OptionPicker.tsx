import { Combobox } from '@base-ui/react/combobox';
import { Select } from '@base-ui/react/select';
import { Check, ChevronDown, Lock, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { currentName } from '../../state/offered';
import type { SessionChoice, SessionOption } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** From this many choices on, there is a search field. */
const many = 9;

interface PickerProps {
  option: SessionOption;
  /** Set by Weft, because the space needs an agent that asks. */
  held: boolean;
  open: boolean;
  onOpen(open: boolean): void;
  onChoose(value: string): void;
}

/** A session option with several values. */
export function OptionPicker(props: PickerProps) {
  return (props.option.choices?.length ?? 0) < many ? <Few {...props} /> : <Many {...props} />;
}

function label(option: SessionOption): string {
  const [name, value] = [oneLine(option.name), oneLine(currentName(option))];
  return name === '' || value === '' ? name || value : t('option.label', { name, value });
}

/** "Default" alone is clear for a model, but not for a thinking level. */
function named({ id, category }: SessionOption): boolean {
  return (category ?? id) !== 'model';
}

function Shown({ option, held }: { option: SessionOption; held: boolean }) {
  return (
    <>
      {held && <Lock size={12} aria-hidden />}
      <span className="option-value truncate">
        {named(option) ? label(option) : oneLine(currentName(option))}
      </span>
      <ChevronDown size={13} aria-hidden />
    </>
  );
}

function Line({ choice, mark }: { choice: SessionChoice; mark: ReactNode }) {
  return (
    <>
      <span className="pick-mark">{mark}</span>
      <span className="pick-text">
        <span className="pick-name">{oneLine(choice.name)}</span>
        {choice.description !== undefined && choice.description !== '' && (
          <span className="pick-note">{oneLine(choice.description)}</span>
        )}
      </span>
      {choice.group !== undefined && <span className="pick-group">{oneLine(choice.group)}</span>}
    </>
  );
}

function Few({ option, held, open, onOpen, onChoose }: PickerProps) {
  return (
    <Select.Root
      value={String(option.current)}
      onValueChange={(value) => value !== null && onChoose(value)}
      open={open}
      onOpenChange={onOpen}
      modal={false}
    >
      <Select.Trigger
        className="composer-control option-trigger"
        aria-label={held ? t('option.heldLabel', { label: label(option) }) : label(option)}
        title={held ? t('option.held') : label(option)}
      >
        <Shown option={option} held={held} />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner side="top" align="start" sideOffset={6} alignItemWithTrigger={false}>
          <Select.Popup className="menu picks">
            <p className="picks-title" aria-hidden>
              {oneLine(option.name)}
            </p>
            <Select.List className="picks-few" aria-label={oneLine(option.name)}>
              {option.choices?.map((choice) => (
                <Select.Item
                  key={choice.value}
                  value={choice.value}
                  label={choice.name}
                  className="menu-item pick"
                >
                  <Line
                    choice={choice}
                    mark={
                      <Select.ItemIndicator>
                        <Check size={14} aria-hidden />
                      </Select.ItemIndicator>
                    }
                  />
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function Many({ option, held, open, onOpen, onChoose }: PickerProps) {
  const choices = option.choices ?? [];
  return (
    <Combobox.Root
      items={choices}
      value={choices.find(({ value }) => value === option.current) ?? null}
      onValueChange={(choice) => choice !== null && onChoose(choice.value)}
      itemToStringLabel={({ name, group }) => `${name} ${group ?? ''}`}
      isItemEqualToValue={(a, b) => a.value === b.value}
      open={open}
      onOpenChange={onOpen}
      autoHighlight
    >
      <Combobox.Trigger
        className="composer-control option-trigger"
        aria-label={held ? t('option.heldLabel', { label: label(option) }) : label(option)}
        title={held ? t('option.held') : label(option)}
      >
        <Shown option={option} held={held} />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner side="top" align="start" sideOffset={6}>
          <Combobox.Popup className="menu picks" aria-label={oneLine(option.name)}>
            <div className="search picks-search">
              <Search size={14} aria-hidden />
              <Combobox.Input
                placeholder={t('option.search', { name: oneLine(option.name) })}
                aria-label={t('option.search', { name: oneLine(option.name) })}
              />
            </div>
            <Combobox.Empty className="picks-empty">{t('option.none')}</Combobox.Empty>
            <Combobox.List className="picks-list">
              {(choice: SessionChoice) => (
                <Combobox.Item key={choice.value} value={choice} className="menu-item pick">
                  <Line
                    choice={choice}
                    mark={
                      <Combobox.ItemIndicator>
                        <Check size={14} aria-hidden />
                      </Combobox.ItemIndicator>
                    }
                  />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
