import { Menu } from '@base-ui/react/menu';
import { Check, Hand, Lock, ShieldCheck, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { setPermissions } from '../../commands/spaces';
import { t } from '../../i18n';
import { beside } from '../../i18n/formats';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { PermissionMode, Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { useHost } from '../parts/useHost';

export const modes = ['ask', 'rules', 'read-only'] as const;
const icons = { ask: Hand, rules: ShieldCheck, 'read-only': Lock };

/** The names of the members' agents that were seen to act without asking, '' for none. */
function useUnasked(members: Space['members']): string {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const unasked = agents.filter(
    (agent) => (agent.unasked ?? null) !== null && members.some(({ agentId }) => agentId === agent.id),
  );
  return beside(unasked.map(({ name }) => oneLine(name)));
}

interface ModesProps {
  spaceId: string;
  mode: PermissionMode;
  members: Space['members'];
}

/** How the space deals with what its agent asks for. */
export function ModeMenu({ space }: { space: Space }) {
  return <Modes spaceId={space.id} mode={space.permissions} members={space.members} />;
}

/** Of a space, whatever else happens in it: menus cost more than what is around them. */
const Modes = memo(function Modes({ spaceId, mode, members }: ModesProps) {
  const weft = useWeft();
  const [host, place] = useHost();
  const loose = useUnasked(members);
  const Icon = icons[mode];
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        ref={place}
        className="composer-control composer-mode"
        data-mode={mode}
        data-unasked={loose !== '' && mode !== 'rules'}
        aria-label={
          loose === ''
            ? t('mode.label', { mode: t(`mode.${mode}`) })
            : t('mode.labelUnasked', { mode: t(`mode.${mode}`), name: loose })
        }
        title={loose === '' ? t(`mode.note.${mode}`) : t('mode.unasked', { name: loose })}
      >
        <Icon size={13} aria-hidden />
        <span className="composer-mode-name">{t(`mode.${mode}`)}</span>
        {loose !== '' && mode !== 'rules' && (
          <TriangleAlert className="composer-mode-loose" size={12} aria-hidden />
        )}
      </Menu.Trigger>
      <Menu.Portal container={host}>
        <Menu.Positioner sideOffset={6} side="top" align="start">
          <Menu.Popup className="menu mode-menu">
            <Menu.Group>
              <Menu.GroupLabel className="mode-title">{t('mode.title')}</Menu.GroupLabel>
              <Menu.RadioGroup
                value={mode}
                onValueChange={(value: PermissionMode) => void setPermissions(weft, spaceId, value)}
              >
                {modes.map((one) => {
                  const Mark = icons[one];
                  return (
                    <Menu.RadioItem key={one} value={one} className="menu-item mode-item" closeOnClick>
                      <Mark size={14} aria-hidden />
                      <span>
                        {t(`mode.${one}`)}
                        <span className="mode-note">{t(`mode.note.${one}`)}</span>
                      </span>
                      <Menu.RadioItemIndicator className="mode-chosen">
                        <Check size={14} aria-hidden />
                      </Menu.RadioItemIndicator>
                    </Menu.RadioItem>
                  );
                })}
              </Menu.RadioGroup>
              {loose === '' ? (
                <p className="mode-caution">{t('mode.caution')}</p>
              ) : (
                <p className="mode-caution" data-unasked="true">
                  {t('mode.unasked', { name: loose })}
                </p>
              )}
            </Menu.Group>
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
