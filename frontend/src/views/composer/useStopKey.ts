import { useCallback, useEffect, useState } from 'react';
import { t } from '../../i18n';
import { runAction } from '../../keyboard/actions';
import { say } from '../../state/notify';
import { useWeft } from '../../state/weft';

/** How long after the first Escape a second one stops, in milliseconds. */
const timeout = 3000;

interface StopKey {
  /** The next Escape stops. */
  armed: boolean;
  press(): void;
  /** Another key was pressed. */
  disarm(): void;
}

/**
 * Handles Escape in the message field. Escape has many uses: it closes what is open, then asks for a second press, and
 * never ends a turn with a pending request, which would cancel the request.
 */
export function useStopKey(works: boolean, requested: boolean, stop: () => void): StopKey {
  const weft = useWeft();
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    if (!works || requested) setArmed(false);
    if (!armed) return;
    const timer = setTimeout(() => setArmed(false), timeout);
    return () => clearTimeout(timer);
  }, [armed, works, requested]);
  const disarm = useCallback(() => setArmed(false), []);
  const press = () => {
    if (runAction('find.close') || weft.closePanel()) return;
    if (!works) return;
    if (requested) say(t('composer.escapeWaits'));
    else if (armed) {
      setArmed(false);
      stop();
    } else setArmed(true);
  };
  return { armed, press, disarm };
}
