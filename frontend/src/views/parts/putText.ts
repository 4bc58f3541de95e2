/**
 * A longer text, or one with more lines, is set without undo: Chromium's insertion time per line grows with the lines
 * before it, to seconds for 500 lines.
 */
const longest = 100_000;
const mostLines = 120;

/** Previous texts and carets of fields before text was set, to recognize them after an undo. */
const steps = new WeakMap<HTMLTextAreaElement, { text: string; caret: number }[]>();

/**
 * Replaces the text of a field as one step of its undo history, if it has the focus. The field fires an input event.
 * Only the difference is replaced, and the caret moves to the given position.
 */
export function putText(field: HTMLTextAreaElement, text: string, caret = text.length): void {
  const before = field.value;
  const { from, to, inserted } = difference(before, text);
  if (before !== text && canUndo(field, inserted)) {
    remember(field, before);
    // Moving the caret ends the current typing step in the undo history.
    field.setSelectionRange(from === 0 ? before.length : 0, from === 0 ? before.length : 0);
    field.setSelectionRange(from, to);
    if (inserted === '') document.execCommand('delete');
    else document.execCommand('insertText', false, inserted);
  }
  if (field.value !== text) field.value = text;
  field.setSelectionRange(caret, caret);
}

function canUndo(field: HTMLTextAreaElement, text: string): boolean {
  return (
    document.activeElement === field &&
    typeof document.execCommand === 'function' &&
    text.length <= longest &&
    field.value.length <= longest &&
    text.split('\n').length <= mostLines
  );
}

/** Browsers select what an undo restores, so that the next key would replace it. */
function remember(field: HTMLTextAreaElement, text: string): void {
  let known = steps.get(field);
  if (known === undefined) {
    known = [];
    steps.set(field, known);
    field.addEventListener('input', (event) => {
      if (!isUndo(event)) return;
      const step = steps.get(field)?.findLast(({ text }) => text === field.value);
      if (step === undefined) return;
      const place = () => {
        if (field.value === step.text) field.setSelectionRange(step.caret, step.caret);
      };
      // The browser selects after the event. An undo by the keyboard is Weft's own command, so a microtask runs after
      // that, and before the next key. One by a menu is still going on then.
      queueMicrotask(place);
      setTimeout(() => {
        if (field.selectionStart !== field.selectionEnd) place();
      });
    });
  }
  known.push({ text, caret: field.selectionEnd });
  if (known.length > 20) known.shift();
}

/** Reports whether an input event is an undo or a redo. */
export function isUndo(event: Event): boolean {
  return event instanceof InputEvent && /^history(Undo|Redo)$/.test(event.inputType);
}

/** Returns the replacement that turns one text into another, without splitting surrogate pairs. */
export function difference(before: string, after: string): { from: number; to: number; inserted: string } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  if (from > 0 && isHigh(before.charCodeAt(from - 1))) from--;
  let same = 0;
  while (same < shorter - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  if (same > 0 && isLow(before.charCodeAt(before.length - same))) same--;
  return { from, to: before.length - same, inserted: after.slice(from, after.length - same) };
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
