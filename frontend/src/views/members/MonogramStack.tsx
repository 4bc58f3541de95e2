import { tonesOf } from '../../state/memberLook';
import type { Member } from '../../transport/api';
import { Monogram } from './Monogram';

const most = 4;

/** The members of a space as monograms. */
export function MonogramStack({ members }: { members: readonly Member[] }) {
  const tones = tonesOf(members);
  const shown = members.length > most ? members.slice(0, most - 1) : members;
  return (
    <span className="member-marks" aria-hidden>
      {shown.map(({ id, name }) => (
        <Monogram key={id} name={name} tone={tones.get(id) ?? 1} small />
      ))}
      {shown.length < members.length && (
        <span className="member-marks-more tabular">+{members.length - shown.length}</span>
      )}
    </span>
  );
}
