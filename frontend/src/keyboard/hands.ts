/** What a user moves the view with, besides keys. A press may be on a scroll bar. */
export const hands = ['wheel', 'touchmove', 'pointerdown'] as const;
/** Keys that scroll what has the focus. */
export const scrollKeys = /^(Arrow|Page|Home|End| )/;
/** Keys that do nothing by themselves. */
export const modifiers = /^(Control|Meta|Alt|Shift)$/;
