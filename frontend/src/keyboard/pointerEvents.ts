/** Pointer events that may scroll a view. A press may be on a scroll bar. */
export const pointerEvents = ['wheel', 'touchmove', 'pointerdown'] as const;
/** Keys that scroll the focused element. */
export const scrollKeys = /^(Arrow|Page|Home|End| )/;
/** Keys that do nothing on their own. */
export const modifiers = /^(Control|Meta|Alt|Shift)$/;
