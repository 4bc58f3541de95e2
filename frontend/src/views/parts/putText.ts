/**
 * Text that is longer, or has more lines, is put without undo: Chromium inserts a line in a time that grows with the lines before
 * it, which is seconds for 500 of them.
 */
const longest = 100_000;
const mostLines = 120;

/** What fields held before each text that was put into them, with their carets, so that undo finds them again. */
const steps = new WeakMap<HTMLTextAreaElement, { text: string; caret: number }[]>();

/**
 * Replaces the text of a field, as one step of the field's own undo if it has the focus. The field reports it as input.
 * Only what differs is replaced, and the caret goes to where it is wanted.
 */
export function putText(field: HTMLTextAreaElement, text: string, caret = text.length): void {
  const before = field.value;
  const { from, to, inserted } = difference(before, text);
  if (before !== text && canUndo(field, inserted)) {
    remember(field, before);
    // Moving the caret ends what was typed until now: it stays a step of its own.
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

/** Browsers select what an undo brings back: the next key would replace it. */
function remember(field: HTMLTextAreaElement, text: string): void {
  let known = steps.get(field);
  if (known === undefined) {
    known = [];
    steps.set(field, known);
    field.addEventListener('input', (event) => {
      if (!isUndo(event)) return;
      const step = steps.get(field)?.findLast(({ text }) => text === field.value);
      if (step === undefined) return;
      // The browser selects once its event is over.
      setTimeout(() => {
        if (field.value === step.text) field.setSelectionRange(step.caret, step.caret);
      });
    });
  }
  known.push({ text, caret: field.selectionEnd });
  if (known.length > 20) known.shift();
}

/** Whether an input is an undo or a redo. */
export function isUndo(event: Event): boolean {
  return event instanceof InputEvent && /^history(Undo|Redo)$/.test(event.inputType);
}

/** What has to be replaced in a text for another one. Characters of two units stay whole. */
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
