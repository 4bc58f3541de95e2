import { Command, defaultFilter } from 'cmdk';
import { t } from '../../i18n';
import { type Action, useOfferedActions } from '../../keyboard/actions';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Keys } from '../parts/Keys';
import { titleOf } from '../parts/spaceTitle';
import { StateMark } from '../sidebar/StateMark';

/** Letters that are only scattered over a title do not find it: what is first is done by Enter. */
function filter(value: string, search: string, keywords?: string[]): number {
  const score = defaultFilter(value, search, keywords);
  return score < 0.001 ? 0 : score;
}

/** Actions and spaces, found by typing. */
export function Commands() {
  const weft = useWeft();
  const actions = useOfferedActions().filter((action) => action.keyOnly !== true);
  const spaces = useStore(weft.server, (state) => state.spaces);
  // What is nearest comes first: the space, its transcript, then everything else.
  const first = [t('section.space'), t('section.transcript')];
  const sections = [...new Set([...first, ...actions.map(({ section }) => section)])];
  const done = (run: () => void) => {
    weft.open(null);
    // After the dialog has given the focus back.
    requestAnimationFrame(run);
  };
  return (
    <Command label={t('palette.label')} filter={filter} loop>
      <Command.Input className="palette-field" placeholder={t('palette.placeholder')} autoFocus />
      <Command.List className="palette-list" label={t('palette.label')}>
        <Command.Empty className="palette-empty">{t('palette.none')}</Command.Empty>
        {sections
          .filter((section) => actions.some((action) => action.section === section))
          .map((section) => (
            <Command.Group key={section} heading={section}>
              {actions
                .filter((action) => action.section === section)
                .map((action) => (
                  <Entry key={action.id} action={action} onRun={() => done(action.run)} />
                ))}
            </Command.Group>
          ))}
        <Command.Group heading={t('palette.goTo')}>
          {spaces.slice(0, 200).map((space) => (
            <Command.Item
              key={space.id}
              value={`space ${space.id}`}
              keywords={[space.title, space.agentName]}
              className="palette-item"
              onSelect={() => done(() => weft.select(space.id))}
            >
              <StateMark state={space.state} />
              <span className="palette-title">{titleOf(space)}</span>
              <span className="palette-note">{space.agentName}</span>
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}

function Entry({ action, onRun }: { action: Action; onRun: () => void }) {
  return (
    <Command.Item
      value={`${action.title} ${action.id}`}
      keywords={action.keywords ?? []}
      className="palette-item"
      onSelect={onRun}
    >
      <span className="palette-title" title={action.title}>
        {action.title}
      </span>
      {action.keys !== undefined && <Keys keys={action.keys} />}
    </Command.Item>
  );
}
