/** The colors that a tag can have: those of members. */
export const tagTones = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The color of a tag, for what has the class `tag-dot`; 0 is none. */
export function toneStyle(tone: number): React.CSSProperties {
  return tagTones.some((one) => one === tone)
    ? ({ '--tag': `var(--member-${tone})` } as React.CSSProperties)
    : {};
}
