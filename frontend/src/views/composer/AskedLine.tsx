import { t } from '../../i18n';
import { beside } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { Member } from '../../transport/api';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';

/** Says who is asked by what is written, where there is a choice. */
export function AskedLine({
  asked,
  tones,
}: {
  asked: readonly Member[];
  tones: ReadonlyMap<string, number>;
}) {
  const names = beside(asked.map(({ name }) => oneLine(name)));
  const shown = asked.map(({ id, name }) => (
    <span key={id} className="asked-one">
      <Monogram name={name} tone={tones.get(id) ?? 1} small />
      <span className="asked-name">{oneLine(name)}</span>
    </span>
  ));
  return (
    <p className="asked" role="status" title={t('members.askHint')}>
      <span className="visually-hidden">{t('members.asks', { names })}</span>
      <Sentence
        text={withSlots((slot) => t('members.to', { names: slot('names') }))}
        slots={{ names: shown }}
      />
    </p>
  );
}
