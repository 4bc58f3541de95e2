/** What is open over the page and has the keys for itself. What closes has left them to the page already, though it is seen while it fades. */
export const over = ['dialog', 'alertdialog', 'menu']
  .map((role) => `[role=${role}]:not([data-closed])`)
  .join(', ');
