/**
 * Open overlays that own the keyboard. A closing one has already returned it to the page, although it is still visible
 * while fading.
 */
export const openOverlays = ['dialog', 'alertdialog', 'menu']
  .map((role) => `[role=${role}]:not([data-closed])`)
  .join(', ');
