import { Autocomplete } from '@base-ui/react/autocomplete';
import { useMemo, useState } from 'react';
import { t } from '../../i18n';
import type { ModelInfo } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';

interface ModelInputProps {
  control: { id: string; 'aria-describedby': string | undefined };
  /** The form was opened for this field. */
  focused: boolean;
  value: string;
  models: readonly ModelInfo[];
  onChange(value: string): void;
  onFocus(): void;
}

const shown = 200;

/** The name of a model: free text, with suggestions if the provider lists its models. */
export function ModelInput({ control, focused, value, models, onChange, onFocus }: ModelInputProps) {
  // The initial value isn't a search term when the list opens.
  const [searching, setSearching] = useState(false);
  const [open, setOpen] = useState(false);
  const matching = useMemo(() => {
    const words = searching ? value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    return models
      .filter(({ id, name }) => words.every((word) => `${id} ${name}`.toLowerCase().includes(word)))
      .slice(0, shown);
  }, [models, value, searching]);
  return (
    <Autocomplete.Root
      items={models}
      filteredItems={matching}
      value={value}
      onValueChange={(next, { reason }) => {
        setSearching(reason === 'input-change');
        onChange(next);
      }}
      open={open && matching.length > 0}
      onOpenChange={(next) => {
        setOpen(next);
        if (!next) setSearching(false);
      }}
      itemToStringValue={({ id }) => id}
      openOnInputClick
    >
      <Autocomplete.Input
        {...control}
        // While the list is open, everything outside of it is hidden from screen readers, including the label.
        aria-label={t('models.model')}
        className="field mono"
        data-focus="model"
        autoFocus={focused}
        onFocus={onFocus}
        spellCheck={false}
        required
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="model-popup" sideOffset={4} align="start">
          <Autocomplete.Popup className="menu model-menu">
            <Autocomplete.List className="model-list">
              {(model: ModelInfo) => (
                <Autocomplete.Item key={model.id} value={model} className="menu-item model-item">
                  <span className="mono model-id">{oneLine(model.id)}</span>
                  <span className="model-about">{about(model)}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}

function about({ id, name, context }: ModelInfo): string {
  const parts = [];
  if (name !== '' && name !== id) parts.push(oneLine(name));
  if (context > 0) parts.push(t('models.context', { n: count(context) }));
  return parts.join(' · ');
}
