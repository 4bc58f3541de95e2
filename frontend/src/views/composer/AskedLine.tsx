import { t } from '../../i18n';
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
  const names = asked.map(({ name }) => oneLine(name)).join(', ');
  return (
    <p className="asked" role="status" title={t('members.askHint')}>
      <span className="visually-hidden">{t('members.asks', { names })}</span>
      <span aria-hidden>{t('members.to')}</span>
      {asked.map(({ id, name }) => (
        <span key={id} className="asked-one" aria-hidden>
          <Monogram name={name} tone={tones.get(id) ?? 1} small />
          <span className="asked-name">{oneLine(name)}</span>
        </span>
      ))}
    </p>
  );
}
