import { KeyRound } from 'lucide-react';
import { t } from '../../i18n';
import { useSecrets } from '../../queries/settings';
import type { SecretStore } from '../../transport/api';

/** Says where these secrets are, or will be, stored; "" stands for one that isn't stored yet. */
export function SecretLocation({ refs }: { refs: readonly string[] }) {
  const { secrets } = useSecrets();
  if (refs.length === 0) return null;
  const places = new Set(
    refs.map((ref) => (leftOut(ref) ? null : (placeOf(ref) ?? secrets?.store ?? 'keychain'))),
  );
  return (
    <div className="secret-location">
      {(['keychain', 'file'] as const)
        .filter((place) => places.has(place))
        .map((place) => (
          <p key={place} className="form-note">
            <KeyRound size={12} aria-hidden />
            {t('secrets.kept', { where: t(`secrets.place.${place}`) })}
          </p>
        ))}
      {refs.some(leftOut) && <p className="form-note">{t('secrets.leftOut')}</p>}
    </div>
  );
}

function leftOut(ref: string): boolean {
  return ref.startsWith('left-out:');
}

export function placeOf(ref: string): SecretStore | null {
  if (ref.startsWith('file:')) return 'file';
  return ref.startsWith('keychain:') ? 'keychain' : null;
}
