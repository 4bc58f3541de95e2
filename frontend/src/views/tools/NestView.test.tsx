import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { ToolCall } from '../../transcript/model';
import type { Nest } from '../../transcript/nest';
import { useBelow } from './NestView';

const nest = (parent: string) => ({ parent, pieces: [] }) as unknown as Nest;
const call = (status: string) => ({ type: 'tool_call', toolCallId: 'a', status }) as unknown as ToolCall;

it('gives a call the same element until what it shows has changed', () => {
  const first = { nest: nest('a'), call: call('running') };
  const { result, rerender } = renderHook((now: typeof first) => useBelow(now.nest, 'm1', now.call), {
    initialProps: first,
  });
  const element = result.current;
  expect(element).toBeDefined();
  // When a message grows elsewhere, the list re-renders but not the calls in it.
  rerender({ ...first });
  expect(result.current).toBe(element);
  const ended = call('completed');
  rerender({ ...first, call: ended });
  const later = result.current;
  expect(later).not.toBe(element);
  rerender({ nest: nest('a'), call: ended });
  expect(result.current).not.toBe(later);
});

it('puts nothing below a call that has started nothing', () => {
  const { result } = renderHook(() => useBelow(undefined, 'm1', call('running')));
  expect(result.current).toBeUndefined();
});
