import { expect, it } from 'vitest';
import type { ToolCall } from '../../transcript/model';
import { GrowingText } from '../../transcript/text';
import { merged } from './useDetail';

const call = (fields: Partial<ToolCall>) => ({ terminals: [], status: 'running', ...fields }) as ToolCall;

it('prefers what came after a call was pulled', () => {
  const begun = call({ inputText: new GrowingText('{"command":"mak', 1000) });
  const whole = call({ input: { command: 'make' } });
  // The complete input arrived while it was loading.
  expect(merged(whole, begun)).toMatchObject({ input: { command: 'make' }, inputText: undefined });
  expect(merged(begun, whole).inputText).toBe(begun.inputText);
  // Of released input, the loaded one is all there is.
  expect(merged(call({}), begun).inputText).toBe(begun.inputText);
  expect(merged(call({}), whole)).toMatchObject({ input: { command: 'make' } });
});
