import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import type { Fact } from './read';

const most = 200;

/** Labels with their values. */
export function Facts({ of }: { of: readonly Fact[] }) {
  if (of.length === 0) return null;
  return (
    <dl className="display-facts">
      {of.slice(0, most).map(({ label, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at their end
        <div key={i}>
          <dt>{oneLine(label)}</dt>
          <dd>
            <Lines text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
