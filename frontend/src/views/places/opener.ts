let opener: HTMLElement | null = null;

/** Records which element opened the file preview. */
export function setOpener(element: HTMLElement | null): void {
  opener = element;
}

/** Returns the focus to the element that opened the preview, if it still exists. */
export function focusOpener(): void {
  if (opener?.isConnected === true) opener.focus({ preventScroll: true });
  opener = null;
}
