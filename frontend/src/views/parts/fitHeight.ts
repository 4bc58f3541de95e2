/**
 * Makes a field as high as its text. Browsers that can do that by themselves do it with the layout of the next frame; in others it is
 * measured at once, which lays out the page for each key: what is around keeps its place meanwhile, as a scroller beside it that grew for
 * the moment of measuring would be moved off its end.
 */
export function fitHeight(field: HTMLTextAreaElement): void {
  const own = bySelf() && field.value !== '';
  if (own !== (field.style.getPropertyValue('field-sizing') === 'content')) {
    if (own) field.style.setProperty('field-sizing', 'content');
    else field.style.removeProperty('field-sizing');
    if (own) field.style.height = '';
  }
  if (own) return;
  const around = field.parentElement;
  if (around !== null) around.style.minHeight = `${around.getBoundingClientRect().height}px`;
  field.style.height = '0';
  field.style.height = `${field.scrollHeight}px`;
  if (around !== null) around.style.minHeight = '';
}

/** Whether the browser can. An empty field is measured there, too: by itself it would be as high as its placeholder. */
function bySelf(): boolean {
  return typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content');
}
