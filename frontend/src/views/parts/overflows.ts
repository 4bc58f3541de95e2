/** Reports whether an element has more content than its height shows. Less than a pixel is rounding. */
export function overflows({ scrollHeight, clientHeight }: Element): boolean {
  return scrollHeight > clientHeight + 1;
}
