import { monogram } from '../../state/memberLook';
import { oneLine } from '../parts/clean';
import './monogram.css';

/** Two letters of a member in its color. The name is shown beside it or announced otherwise. */
export function Monogram({ name, tone, small = false }: { name: string; tone: number; small?: boolean }) {
  return (
    <span className="member-mark" data-tone={tone} data-small={small || undefined} aria-hidden>
      {monogram(oneLine(name))}
    </span>
  );
}
