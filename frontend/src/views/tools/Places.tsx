import { t } from '../../i18n';
import type { Location } from '../../transcript/types';
import { PlaceLink } from '../places/PlaceLink';
import { useReading } from '../transcript/reading';
import { Part } from './Part';
import { usePath } from './usePath';

/** The files of a call. */
export function Places({ locations }: { locations: readonly Location[] }) {
  const path = usePath();
  const { session } = useReading();
  if (locations.length === 0) return null;
  const shown = locations.slice(0, 50);
  return (
    <Part title={t('tool.locations')}>
      <ul className="places">
        {shown.map((place, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <li key={i} className="mono">
            <PlaceLink spaceId={session.spaceId} path={place.path} line={place.line}>
              {path(place.path)}
              {place.line !== undefined && <span className="place-line">:{place.line}</span>}
            </PlaceLink>
          </li>
        ))}
        {locations.length > shown.length && (
          <li className="quiet-text">{t('tool.moreLocations', { n: locations.length - shown.length })}</li>
        )}
      </ul>
    </Part>
  );
}
