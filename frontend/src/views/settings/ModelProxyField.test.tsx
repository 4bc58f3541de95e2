import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { ModelProxy } from '../../transport/api';
import { ModelProxyField } from './ModelProxyField';

interface FormProps {
  first: ModelProxy | null;
  leads: readonly string[];
  onChange(value: ModelProxy | null): void;
}

function Form({ first, leads, onChange }: FormProps) {
  const [value, setValue] = useState(first);
  return (
    <ModelProxyField
      value={value}
      leads={leads}
      onChange={(next) => {
        onChange(next);
        setValue(next);
      }}
    />
  );
}

function show(first: ModelProxy | null, leads: readonly string[] = []) {
  const changed = vi.fn<(value: ModelProxy | null) => void>();
  render(<Form first={first} leads={leads} onChange={changed} />);
  return { changed, field: screen.getByRole('combobox', { name: 'Model proxy' }) };
}

it('is automatic by default, and says that it is on and why', () => {
  const { field } = show(null, ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL']);
  expect(field).toHaveDisplayValue('Automatic');
  expect(field).toHaveAccessibleDescription(/^On: .*ANTHROPIC_BASE_URL, OPENAI_BASE_URL/);
  expect(screen.queryByRole('textbox')).toBeNull();
});

it('says where it is off that no key and no address was found', () => {
  const { field } = show(null);
  expect(field).toHaveAccessibleDescription(/^Off: /);
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

it('can be switched off, and back to automatic', async () => {
  const { field, changed } = show({});
  await userEvent.selectOptions(field, 'Off');
  expect(changed).toHaveBeenLastCalledWith({ off: true });
  await userEvent.selectOptions(field, 'Automatic');
  expect(changed).toHaveBeenLastCalledWith(null);
});
