import { useEffect } from 'react';
import type { Weft } from '../state/weft';
import { Shell } from '../views/shell/Shell';
import type { Scene } from './backend';
import { Stage } from './Stage';

interface WindowProps {
  scene: Scene;
  prepare?(weft: Weft): void;
  /** What is clicked, one after the other, each as soon as it is there: what opens has no other way. */
  clicks?: readonly string[];
  /** What is typed, and before it into what, once that is there. */
  types?: readonly [selector: string, text: string];
}

/** The whole window in a state. */
export function Window({ clicks = [], types, ...stage }: WindowProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are clicked once
  useEffect(() => clickAll(clicks), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is typed once
  useEffect(() => (types === undefined ? undefined : type(...types)), []);
  return (
    <Stage {...stage}>
      <Shell />
    </Stage>
  );
}

/** Clicks what selectors find, in their order, until the returned function is called. */
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

/** Types into a field as soon as it is there, until the returned function is called. */
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
