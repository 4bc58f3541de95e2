import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { Member } from '../../transport/api';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';

/** Shows who receives the text, if there is more than one member. */
export function RecipientLine({
  asked,
  tones,
}: {
  asked: readonly Member[];
  tones: ReadonlyMap<string, number>;
}) {
  const names = joinFacts(asked.map(({ name }) => oneLine(name)));
  const shown = asked.map(({ id, name }) => (
    <span key={id} className="recipient">
      <Monogram name={name} tone={tones.get(id) ?? 1} small />
      <span className="recipient-name truncate">{oneLine(name)}</span>
    </span>
  ));
  return (
    <p className="recipients" role="status" title={t('members.askHint')}>
      <span className="visually-hidden">{t('members.asks', { names })}</span>
      <Sentence
        text={withSlots((slot) => t('members.to', { names: slot('names') }))}
        slots={{ names: shown }}
      />
    </p>
  );
}
