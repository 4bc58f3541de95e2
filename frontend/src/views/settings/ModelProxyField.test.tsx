import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { ModelProxy } from '../../transport/api';
import { ModelProxyField } from './ModelProxyField';

interface FormProps {
  first: ModelProxy | null;
  onChange(value: ModelProxy | null): void;
}

function Form({ first, onChange }: FormProps) {
  const [value, setValue] = useState(first);
  return (
    <ModelProxyField
      value={value}
      onChange={(next) => {
        onChange(next);
        setValue(next);
      }}
    />
  );
}

function show(first: ModelProxy | null) {
  const changed = vi.fn<(value: ModelProxy | null) => void>();
  render(<Form first={first} onChange={changed} />);
  return { changed, field: screen.getByRole('combobox', { name: 'Model proxy' }) };
}

it('is off by default, and says what it does', () => {
  const { field } = show(null);
  expect(field).toHaveDisplayValue('Off');
  expect(field).toHaveAccessibleDescription(expect.stringContaining('while the model writes'));
  expect(screen.queryByRole('textbox')).toBeNull();
});

it('says that subscriptions are left alone when it is on', async () => {
  const { field, changed } = show(null);
  await userEvent.selectOptions(field, 'On');
  expect(changed).toHaveBeenLastCalledWith({ variables: [] });
  expect(field).toHaveAccessibleDescription(expect.stringContaining('subscription'));
});

it('takes the names of more variables', async () => {
  const { changed } = show({ variables: ['MY_URL'] });
  const names = screen.getByRole('textbox', { name: 'More variables' });
  expect(names).toHaveValue('MY_URL');
  await userEvent.type(names, ', OTHER_URL ');
  expect(changed).toHaveBeenLastCalledWith({ variables: ['MY_URL', 'OTHER_URL'] });
  expect(names).toHaveValue('MY_URL, OTHER_URL ');
});

it('can be switched off', async () => {
  const { field, changed } = show({});
  await userEvent.selectOptions(field, 'Off');
  expect(changed).toHaveBeenCalledExactlyOnceWith(null);
});
