/**
 * Makes a field as high as its text. What is around keeps its place meanwhile: a scroller beside it
 * that grew for the moment of measuring would be moved off its end.
 */
export function fitHeight(field: HTMLTextAreaElement): void {
  const around = field.parentElement;
  if (around !== null) around.style.minHeight = `${around.getBoundingClientRect().height}px`;
  field.style.height = '0';
  field.style.height = `${field.scrollHeight}px`;
  if (around !== null) around.style.minHeight = '';
}
