import type { Line } from '../../state/list';
import type { Space } from '../../transport/api';

/** The spaces of some lines that are picked, in their order. */
export function pickedOf(lines: readonly Line[], picked: ReadonlySet<string>): readonly Space[] {
  return lines.flatMap((line) => (line.kind === 'space' && picked.has(line.key) ? [line.space] : []));
}
