import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { t } from '../../i18n';
import { useOfferedActions } from '../../keyboard/actions';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Keys } from '../parts/Hint';

/** All keys, by what they do. */
export function KeyboardMap() {
  const weft = useWeft();
  const open = useStore(weft.store, (state) => state.dialog === 'keyboard');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'keyboard' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="dialog keyboard-dialog">
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">{t('keyboard.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <AllKeys />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AllKeys() {
  const actions = useOfferedActions().filter(({ keys }) => keys !== undefined);
  const writing: [string, string][] = [
    [t('keyboard.send'), 'Enter'],
    [t('keyboard.newline'), 'shift+Enter'],
    [t('keyboard.history'), 'ArrowUp'],
    [t('keyboard.answer'), '1 – 9'],
    [t('keyboard.expand'), 'Space'],
  ];
  const sections = [...new Set(actions.map(({ section }) => section))].filter(
    (section) => section !== t('section.appearance'),
  );
  return (
    <div className="keyboard-map">
      {sections.map((section) => (
        <section key={section}>
          <h3>{section}</h3>
          <dl>
            {actions
              .filter((action) => action.section === section)
              .map(({ id, title, keys }) => (
                <div key={id}>
                  <dt>{title}</dt>
                  <dd>
                    <Keys keys={keys ?? ''} />
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <section>
        <h3>{t('section.writing')}</h3>
        <dl>
          {writing.map(([title, keys]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                <Keys keys={keys} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
