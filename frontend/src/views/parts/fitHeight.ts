/**
 * Makes a field as high as its text. Browsers with field-sizing do it in the next layout; in others it is measured at
 * once, which lays out the page for each key. Its surroundings keep their size meanwhile: a scroller that grew during
 * the measurement would lose its scroll position at the end.
 */
export function fitHeight(field: HTMLTextAreaElement): void {
  const own = isSupported() && field.value !== '';
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

/**
 * Whether the browser supports it. An empty field is still measured, because it would be as high as its placeholder.
 */
function isSupported(): boolean {
  return typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content');
}
