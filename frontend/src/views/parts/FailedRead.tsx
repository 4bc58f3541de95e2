import { t } from '../../i18n';
import { Lines } from './Lines';

interface FailedReadProps {
  error: { readonly message: string };
  className?: string;
  onAgain(): void;
}

/** A load error with a retry button. */
export function FailedRead({ error, className = 'settings-lead', onAgain }: FailedReadProps) {
  return (
    <p className={className} role="alert">
      <Lines text={error.message} />{' '}
      <button type="button" className="text-button" onClick={onAgain}>
        {t('again')}
      </button>
    </p>
  );
}
