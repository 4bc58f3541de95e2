import { Check } from 'lucide-react';
import { t } from '../../i18n';
import { objectOf } from '../../transcript/object';
import { lines, oneLine } from '../parts/clean';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Picture } from './Picture';
import { facts, fieldsIn, line, list, text } from './read';

const mostBadges = 20;
const mostActions = 20;

/** A thing with what there is to know about it, and what can be done with it. */
export function Card({ input, phase, ask }: DisplayProps) {
  const subtitle = line(input['subtitle']);
  const words = text(input['text']);
  const price = line(input['price']);
  const image = typeof input['image'] === 'string' ? input['image'] : '';
  const badges = list(input['badges']).map((one) => line(objectOf(one)?.['label'] ?? one));
  const actions = fieldsIn(input['actions']).slice(0, mostActions);
  const chosen = objectOf(ask.answer)?.['action'];
  const choose = (at: number) => {
    const id = actions[at]?.['id'] ?? line(actions[at]?.['label']);
    if (actions[at] !== undefined) ask.send({ action: id });
  };
  ask.onNumber((n) => choose(n - 1));
  return (
    <div className="display-card" data-picture={image.startsWith('data:') || undefined}>
      <Picture src={image} alt={line(input['title'])} growing={phase === 'writing'} />
      <div className="display-card-words">
        {(subtitle !== '' || price !== '') && (
          <p className="display-card-line">
            {subtitle !== '' && <span className="display-subtitle">{oneLine(subtitle)}</span>}
            {price !== '' && <span className="display-price tabular">{oneLine(price)}</span>}
          </p>
        )}
        {badges.length > 0 && (
          <ul className="display-badges">
            {badges.slice(0, mostBadges).map((badge, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at their end
              <li key={i} className="tag">
                {oneLine(badge)}
              </li>
            ))}
          </ul>
        )}
        {words !== '' && <p className="display-words">{lines(words)}</p>}
        <Facts of={facts(input['fields'])} />
        {ask.open && (
          <div className="display-options" data-answers>
            {actions.map((action, i) => (
              <button
                // biome-ignore lint/suspicious/noArrayIndexKey: agents may give two actions one id
                key={i}
                type="button"
                className={`option button ${action['style'] === 'primary' ? 'primary' : ''}`}
                data-style={action['style'] === 'danger' ? 'danger' : undefined}
                aria-disabled={ask.sending}
                onClick={() => choose(i)}
              >
                {i < 9 && <kbd aria-hidden>{i + 1}</kbd>}
                {oneLine(line(action['label']) || line(action['id']))}
              </button>
            ))}
            {/* What waits can be answered, whatever it offers. */}
            {actions.length === 0 && (
              <button type="button" className="option button" onClick={() => ask.send({ action: 'seen' })}>
                {t('displays.seen')}
              </button>
            )}
          </div>
        )}
        {chosen !== undefined && (
          <p className="display-answer">
            <Check size={15} aria-hidden />
            {oneLine(labelOf(actions, chosen))}
          </p>
        )}
      </div>
    </div>
  );
}

function labelOf(actions: ReturnType<typeof fieldsIn>, id: unknown): string {
  const action = actions.find((one) => (one['id'] ?? one['label']) === id);
  return line(action?.['label']) || (typeof id === 'string' || typeof id === 'number' ? String(id) : '');
}
