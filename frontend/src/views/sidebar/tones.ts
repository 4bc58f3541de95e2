/** The colors of tags, which are those of members. */
export const tagTones = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The color for the class `tag-dot`; 0 means none. */
export function toneStyle(tone: number): React.CSSProperties {
  return tagTones.some((one) => one === tone)
    ? ({ '--tag': `var(--member-${tone})` } as React.CSSProperties)
    : {};
}
