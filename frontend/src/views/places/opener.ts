let opener: HTMLElement | null = null;

/** Notes what has opened the preview of a file. */
export function goesBackTo(element: HTMLElement | null): void {
  opener = element;
}

/** Gives the focus back to what has opened the preview, if it is still there. */
export function goBack(): void {
  if (opener?.isConnected === true) opener.focus({ preventScroll: true });
  opener = null;
}
