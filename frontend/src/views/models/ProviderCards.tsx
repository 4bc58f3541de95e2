import { useId } from 'react';
import { t } from '../../i18n';
import type { ModelProvider } from '../../transport/api';
import { type Card, compatible } from './draft';

const known = ['openai', 'anthropic', 'google', 'ollama'] as const;
const isKnown = (id: string): id is (typeof known)[number] => (known as readonly string[]).includes(id);

interface ProviderCardsProps {
  providers: readonly ModelProvider[];
  card: Card;
  onChoose(card: Card): void;
}

/** The choice of a provider. */
export function ProviderCards({ providers, card, onChoose }: ProviderCardsProps) {
  const name = useId();
  const one = (id: Card, title: string, note: string) => (
    <label key={id} className="agent-choice provider-card" data-chosen={card === id}>
      <input type="radio" name={name} checked={card === id} onChange={() => onChoose(id)} />
      <span className="agent-choice-name">{title}</span>
      <span className="agent-choice-note" title={note}>
        {note}
      </span>
    </label>
  );
  return (
    <fieldset className="provider-cards">
      <legend className="form-label">{t('models.provider')}</legend>
      <div className="provider-grid">
        {providers.map(({ id, name: title, baseUrl }) =>
          one(id, title, isKnown(id) ? t(`models.cards.${id}`) : new URL(baseUrl).host),
        )}
        {one(compatible, t('models.compatible'), t('models.compatibleNote'))}
      </div>
    </fieldset>
  );
}
