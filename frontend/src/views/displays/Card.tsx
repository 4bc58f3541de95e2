import { Check } from 'lucide-react';
import { t } from '../../i18n';
import { objectOf } from '../../transcript/object';
import { oneLine } from '../parts/clean';
import { Actions, actionsOf, choose, labelOf } from './Actions';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Picture } from './Picture';
import { Prose } from './Prose';
import { facts, line, list, text } from './read';

const mostBadges = 20;

/** An item with its details and actions. */
export function Card({ input, phase, ask }: DisplayProps) {
  const subtitle = line(input['subtitle']);
  const words = text(input['text']);
  const price = line(input['price']);
  const image = typeof input['image'] === 'string' ? input['image'] : '';
  const badges = list(input['badges']).map((one) => line(objectOf(one)?.['label'] ?? one));
  const actions = actionsOf(input);
  const chosen = objectOf(ask.answer)?.['action'];
  ask.onNumber((n) => choose(ask, actions, n - 1));
  return (
    <div className="display-card" data-picture={image.startsWith('data:') || undefined}>
      <Picture src={image} alt={line(input['title'])} growing={phase === 'writing'} />
      <div className="display-card-text">
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
        <Prose text={words} phase={phase} quiet />
        <Facts of={facts(input['fields'])} />
        {ask.open && (
          <div className="display-options" data-answers>
            <Actions of={actions} ask={ask} />
            {/* Anything that waits can be answered, whatever it offers. */}
            {actions.length === 0 && phase === 'waiting' && (
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
