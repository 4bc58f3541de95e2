import { Menu } from '@base-ui/react/menu';
import { Check, ChevronDown, Hand, Lock, type LucideIcon, ShieldCheck, TriangleAlert } from 'lucide-react';
import { memo, useState } from 'react';
import { setPermissions } from '../../commands/spaces';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { useActions } from '../../keyboard/actions';
import { currentName, isMode } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Offered, PermissionMode, Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { usePopupContainer } from '../parts/usePopupContainer';
import { useChoices } from './useChoices';

export const modes = ['ask', 'rules', 'read-only'] as const;
const icons = { ask: Hand, rules: ShieldCheck, 'read-only': Lock };

/** The names of agents in this space that acted without asking, '' if none did. */
function useUnasked(members: Space['members']): string {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const unasked = agents.filter(
    (agent) => (agent.unasked ?? null) !== null && members.some(({ agentId }) => agentId === agent.id),
  );
  return joinFacts(unasked.map(({ name }) => oneLine(name)));
}

interface ModeMenuProps {
  session: Session;
  space: Space;
  memberId: string;
}

/** Chooses how much a member may do: how the space handles its requests, and what it requests. */
export function ModeMenu({ session, space, memberId }: ModeMenuProps) {
  return <Modes {...{ session, memberId }} mode={space.permissions} members={space.members} />;
}

interface ModesProps {
  session: Session;
  memberId: string;
  mode: PermissionMode;
  members: Space['members'];
}

/** Memoized, because menus are more expensive than what is around them. */
const Modes = memo(function Modes({ session, memberId, mode, members }: ModesProps) {
  const weft = useWeft();
  const [host, place] = usePopupContainer();
  const [open, setOpen] = useState(false);
  const loose = useUnasked(members);
  const { options, acts, held, choose } = useChoices(session, memberId);
  const own = options.filter(isMode);
  const name = oneLine(members.find(({ id }) => id === memberId)?.name ?? '') || t('request.theAgent');
  useActions(
    own.map((option) => ({
      id: `option.${option.id}`,
      title: t('action.option', { name: oneLine(option.name) }),
      section: t('section.space'),
      keys: 'mod+.',
      run: () => setOpen(true),
    })),
  );
  const Icon = icons[mode];
  const said = [
    t(`mode.${mode}`),
    ...own.map((option) => t('option.label', { name, value: oneLine(currentName(option)) })),
  ].join('; ');
  const warns = loose !== '' && mode !== 'rules';
  return (
    <Menu.Root modal={false} open={open} onOpenChange={setOpen}>
      <Menu.Trigger
        ref={place}
        className="composer-control composer-mode"
        data-mode={mode}
        data-unasked={warns}
        aria-label={
          loose === '' ? t('mode.label', { mode: said }) : t('mode.labelUnasked', { mode: said, name: loose })
        }
        title={modeDescription(mode, acts, name, loose)}
      >
        {own.some(held) ? <Lock size={13} aria-hidden /> : <Icon size={13} aria-hidden />}
        <span className="composer-mode-name">
          {[t(`mode.${mode}`), ...own.map((option) => oneLine(currentName(option)))].join(' · ')}
        </span>
        {warns && <TriangleAlert className="composer-mode-loose" size={12} aria-hidden />}
        <ChevronDown size={13} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal container={host}>
        <Menu.Positioner sideOffset={6} side="top" align="start">
          <Menu.Popup className="menu mode-menu">
            <Menu.Group>
              <Menu.GroupLabel className="mode-title">{t('mode.title')}</Menu.GroupLabel>
              <Menu.RadioGroup
                value={mode}
                onValueChange={(value: PermissionMode) => void setPermissions(weft, session.spaceId, value)}
              >
                {modes.map((one) => (
                  <Mode
                    key={one}
                    value={one}
                    name={t(`mode.${one}`)}
                    note={t(`mode.note.${one}`)}
                    mark={icons[one]}
                  />
                ))}
              </Menu.RadioGroup>
            </Menu.Group>
            {own.map((option) => (
              <Menu.Group key={option.id} className="mode-own">
                <Menu.GroupLabel className="mode-title">
                  {t('option.label', { name, value: oneLine(option.name) })}
                  {held(option) && <span> · {t('option.held')}</span>}
                </Menu.GroupLabel>
                <Menu.RadioGroup
                  value={option.current}
                  onValueChange={(value: string) => choose(option, value)}
                >
                  {option.choices?.map((choice) => (
                    <Mode
                      key={choice.value}
                      value={choice.value}
                      name={oneLine(choice.name)}
                      note={oneLine(choice.description ?? '')}
                    />
                  ))}
                </Menu.RadioGroup>
              </Menu.Group>
            ))}
            <p className="mode-caution" data-unasked={loose !== '' || undefined}>
              {modeDescription(mode, acts, name, loose)}
            </p>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={() => weft.showPermissions('rules')}>
              {t('mode.manage')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
});

interface ModeProps {
  value: string;
  name: string;
  note: string;
  mark?: LucideIcon;
}

function Mode({ value, name, note, mark: Mark }: ModeProps) {
  return (
    <Menu.RadioItem value={value} className="menu-item mode-item" closeOnClick>
      {Mark !== undefined && <Mark size={14} aria-hidden />}
      <span>
        {name}
        {note !== '' && <span className="mode-note">{note}</span>}
      </span>
      <Menu.RadioItemIndicator className="mode-chosen">
        <Check size={14} aria-hidden />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}

/** Describes the combined effect of the space's mode and the agent's own mode. */
function modeDescription(mode: PermissionMode, acts: Offered['acts'], name: string, loose: string): string {
  if (loose !== '') return t('mode.unasked', { name: loose });
  if (acts === undefined || acts === '') return t('mode.caution');
  return acts === 'reads' ? t('mode.reads', { name }) : t(`mode.${acts}.${mode}`, { name });
}
