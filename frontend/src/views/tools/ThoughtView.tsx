import { ChevronRight } from 'lucide-react';
import { t } from '../../i18n';
import type { Thought } from '../../transcript/model';
import { Lines } from '../parts/Lines';
import { duration } from '../parts/numbers';
import { useDisclosure } from '../transcript/disclosure';
import { useReading } from '../transcript/reading';
import type { PlacedThought } from '../transcript/rows';

const longest = 40_000;

/** A part of the agent's reasoning, closed by default. */
export function ThoughtView({ id, thought, growing }: { id: string; thought: Thought; growing: boolean }) {
  const { disclosures, hold } = useReading();
  const open = useDisclosure(disclosures, id) ?? false;
  const took = thought.endedAt - thought.startedAt;
  const text = open ? thought.text.toString() : '';
  return (
    <div className="thought" data-open={open}>
      <button
        type="button"
        className="thought-line"
        aria-expanded={open}
        onClick={() => {
          hold();
          disclosures.set(id, !open);
        }}
      >
        <span className="thought-knot" aria-hidden />
        <span className={growing ? 'shimmer' : 'thought-label'}>
          {growing
            ? t('thought.growing')
            : took >= 1000
              ? t('thought.took', { time: duration(took) })
              : t('thought.label')}
        </span>
        <ChevronRight className="chevron" size={14} aria-hidden />
      </button>
      {open && (
        <p className="thought-text">
          <Lines text={text.length > longest ? `…${text.slice(-longest)}` : text} />
        </p>
      )}
    </div>
  );
}

/** All thoughts of a message, at its top. */
export function ThoughtList({
  messageId,
  thoughts,
}: {
  messageId: string;
  thoughts: readonly PlacedThought[];
}) {
  return (
    <ul className="group-rows" data-single="true">
      {thoughts.map(({ thought, segment, item }) => {
        const id = `${messageId}:${segment}:${item}`;
        return (
          <li className="group-item" key={id} data-at={id}>
            <ThoughtView id={id} thought={thought} growing={false} />
          </li>
        );
      })}
    </ul>
  );
}
