// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fitHeight } from './fitHeight';

/** A field in a box, and how often either was measured. */
function field() {
  const box = document.createElement('div');
  const field = document.createElement('textarea');
  box.append(field);
  const measured = vi.fn(() => 38);
  Object.defineProperty(field, 'scrollHeight', { get: measured });
  box.getBoundingClientRect = () => {
    measured();
    return new DOMRect(0, 0, 100, 60);
  };
  return { field, measured };
}

afterEach(() => vi.unstubAllGlobals());

describe('the height of a field', () => {
  it('is measured where the browser can not do it', () => {
    vi.stubGlobal('CSS', { supports: () => false });
    const { field: one, measured } = field();
    one.value = 'text';
    fitHeight(one);
    expect(measured).toHaveBeenCalledTimes(2);
    expect(one.style.height).toBe('38px');
  });

  it('is not measured for a key where the browser can', () => {
    vi.stubGlobal('CSS', { supports: () => true });
    const { field: one, measured } = field();
    for (const value of ['t', 'te', 'tex', 'text']) {
      one.value = value;
      fitHeight(one);
    }
    expect(measured).not.toHaveBeenCalled();
    expect(one.style.height).toBe('');
    one.value = '';
    fitHeight(one);
    expect(one.style.height).toBe('38px');
  });
});
