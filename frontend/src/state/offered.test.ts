import { expect, it } from 'vitest';
import { modelName } from './offered';

const session = (category?: string) => ({
  options: [
    { id: 'mode', name: 'Mode', type: 'select', choices: [{ value: 'large', name: 'A mode' }] },
    { id: 'm', name: 'Model', type: 'select', category, choices: [{ value: 'large', name: 'Large one' }] },
  ],
});

it('calls a model what its member calls it, else by its id', () => {
  const conversation = { state: { 'session@two': session('model') as never } };
  expect(modelName(conversation, 'two', 'large')).toBe('Large one');
  expect(modelName(conversation, 'two', 'retired')).toBe('retired');
  expect(modelName(conversation, 'main', 'large')).toBe('large');
  expect(modelName({ state: { session: session() as never } }, 'main', 'large')).toBe('large');
});
