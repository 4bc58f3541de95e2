import { useEffect } from 'react';
import type { Weft } from '../state/weft';
import { Shell } from '../views/shell/Shell';
import type { Scene } from './backend';
import { Stage } from './Stage';

interface WindowProps {
  scene: Scene;
  prepare?(weft: Weft): void;
  /**
   * Selectors to click one after the other, each as soon as it exists, for things that can only be opened by a click.
   */
  clicks?: readonly string[];
  /** What to type into which field, as soon as the field exists. */
  types?: readonly [selector: string, text: string];
}

/** Shows the whole window in a state. */
export function Window({ clicks = [], types, ...stage }: WindowProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: click only once
  useEffect(() => clickAll(clicks), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: type only once
  useEffect(() => (types === undefined ? undefined : type(...types)), []);
  return (
    <Stage {...stage}>
      <Shell />
    </Stage>
  );
}

/** Clicks the elements that the selectors find, in order, until the returned function is called. */
function clickAll(selectors: readonly string[]): () => void {
  const left = [...selectors];
  const look = () => {
    const [next] = left;
    const found = next === undefined ? null : document.querySelector<HTMLElement>(next);
    if (found !== null) {
      left.shift();
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup'] as const)
        found.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerType: 'mouse' }));
      found.click();
    }
    document.documentElement.toggleAttribute('data-clicking', left.length > 0);
    frame = left.length > 0 ? requestAnimationFrame(look) : 0;
  };
  let frame = requestAnimationFrame(look);
  document.documentElement.toggleAttribute('data-clicking', left.length > 0);
  return () => cancelAnimationFrame(frame);
}

/** Types into a field as soon as it exists, until the returned function is called. */
function type(selector: string, text: string): () => void {
  const look = () => {
    const field = document.querySelector<HTMLInputElement>(selector);
    if (field === null) {
      frame = requestAnimationFrame(look);
      return;
    }
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  };
  let frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}
