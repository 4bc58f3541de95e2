import { t } from '../../i18n';
import { useOfferedActions } from '../../keyboard/actions';
import { Keys } from '../parts/Keys';

/** All shortcuts, by section. */
export function AllKeys() {
  const actions = useOfferedActions().filter(({ keys }) => keys !== undefined);
  const writing: [string, string][] = [
    [t('keyboard.send'), 'Enter'],
    [t('keyboard.newline'), 'shift+Enter'],
    [t('keyboard.history'), 'ArrowUp'],
    [t('keyboard.answer'), '1 – 9'],
    [t('keyboard.decide'), 'A / R'],
    [t('keyboard.allowAlways'), 'shift+A / R'],
    [t('keyboard.leave'), 'Escape'],
    [t('keyboard.expand'), 'Space'],
    [t('keyboard.branch'), '← / →'],
  ];
  const list: [string, string][] = [
    [t('keyboard.listMove'), '↑ / ↓'],
    [t('keyboard.listAside'), '← / →'],
    [t('keyboard.listType'), 'A – Z'],
    [t('keyboard.listRename'), 'F2'],
    [t('keyboard.listPin'), 'P'],
    [t('keyboard.listTag'), 'T'],
    [t('keyboard.listOrder'), 'alt+ArrowUp'],
    [t('keyboard.listPick'), 'X'],
    [t('keyboard.listPickMore'), 'shift+ArrowDown'],
    [t('keyboard.listPickAll'), 'mod+A'],
    [t('keyboard.listDelete'), 'Delete'],
  ];
  const inbox: [string, string][] = [
    [t('keyboard.inboxMove'), 'J / K'],
    [t('keyboard.inboxOpen'), 'Enter'],
    [t('keyboard.inboxAnswer'), '1 – 9'],
    [t('keyboard.inboxEnter'), 'ArrowRight'],
    [t('keyboard.inboxDismiss'), 'D'],
    [t('keyboard.inboxUndo'), 'U'],
  ];
  const changes: [string, string][] = [
    [t('keyboard.changesMove'), 'J / K'],
    [t('keyboard.changesDecide'), 'A / R'],
    [t('keyboard.changesDecideFile'), 'shift+A / R'],
    [t('keyboard.changesLayout'), 'S'],
    [t('keyboard.changesCommit'), 'C'],
    [t('keyboard.commit'), 'mod+Enter'],
  ];
  const fixed = [
    [t('keyboard.list'), list],
    [t('section.writing'), writing],
    [t('changes.title'), changes],
    [t('inbox.title'), inbox],
  ] as const;
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
      {fixed.map(([section, list]) => (
        <section key={section}>
          <h3>{section}</h3>
          <dl>
            {list.map(([title, keys]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
