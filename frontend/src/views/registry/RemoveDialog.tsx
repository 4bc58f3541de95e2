import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { removeInstalled } from '../../commands/registry';
import { t } from '../../i18n';
import { formatList } from '../../i18n/formats';
import { say } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { RegistryAgent } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';

/** Removes an installed agent. Its running processes are only ended with the user's consent. */
export function RemoveDialog({ agent, onClose }: { agent: RegistryAgent; onClose: () => void }) {
  const weft = useWeft();
  const [running, setRunning] = useState<string | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const name = oneLine(agent.name);
  const agents = agent.installed?.agents ?? [];
  const remove = async () => {
    setBusy(true);
    try {
      await removeInstalled(weft, agent.id, running !== null);
      onClose();
      say(t('registry.removed', { name }));
    } catch (failure) {
      const { code, message, detail } = asCommandError(failure);
      setBusy(false);
      if (code === 'in_use') setRunning(detail);
      else setError(message);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">{t('registry.removeTitle', { name })}</Dialog.Title>
          <Dialog.Description>{t('registry.removeLead')}</Dialog.Description>
          {agents.length > 1 && (
            <p>{t('registry.removeAgents', { names: oneLine(formatList(agents.map((one) => one.name))) })}</p>
          )}
          {running !== null && (
            <div role="alert">
              <p>{t('registry.removeRunning')}</p>
              <ul className="registry-running">
                {running.split('\n').map((title, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: titles may be the same
                  <li key={i}>{oneLine(title)}</li>
                ))}
              </ul>
            </div>
          )}
          {error !== '' && (
            <p className="field-error" role="alert">
              <Lines text={error} />
            </p>
          )}
          <div className="dialog-foot">
            <span className="grow" />
            <button type="button" className="button plain" onClick={onClose}>
              {t('cancel')}
            </button>
            <button
              type="button"
              className="button primary"
              {...inactiveWhile(busy)}
              onClick={() => void remove()}
            >
              {running === null ? t('registry.remove') : t('registry.removeStop')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
