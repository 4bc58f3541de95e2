import type { Line } from '../../state/list';
import type { Space } from '../../transport/api';

/** The selected spaces among lines, in order. */
export function pickedOf(lines: readonly Line[], picked: ReadonlySet<string>): readonly Space[] {
  return lines.flatMap((line) => (line.kind === 'space' && picked.has(line.key) ? [line.space] : []));
}
