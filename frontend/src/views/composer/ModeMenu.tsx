import { Menu } from '@base-ui/react/menu';
import { Check, Hand, Lock, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { PermissionMode, Space } from '../../transport/api';

export const modes = ['ask', 'rules', 'read-only'] as const;
const icons = { ask: Hand, rules: ShieldCheck, 'read-only': Lock };

/** How the space deals with what its agent asks for. */
export function ModeMenu({ space }: { space: Space }) {
  const weft = useWeft();
  // The menu belongs to the space's part of the page.
  const [host, setHost] = useState<HTMLElement | null>(null);
  const mode = space.permissions;
  const Icon = icons[mode];
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        ref={(element: HTMLElement | null) => setHost(element?.closest('main') ?? null)}
        className="composer-control composer-mode"
        data-mode={mode}
        aria-label={t('mode.label', { mode: t(`mode.${mode}`) })}
        title={t(`mode.note.${mode}`)}
      >
        <Icon size={13} aria-hidden />
        <span className="composer-mode-name">{t(`mode.${mode}`)}</span>
      </Menu.Trigger>
      <Menu.Portal container={host}>
        <Menu.Positioner sideOffset={6} side="top" align="start">
          <Menu.Popup className="menu mode-menu">
            <Menu.Group>
              <Menu.GroupLabel className="mode-title">{t('mode.title')}</Menu.GroupLabel>
              <Menu.RadioGroup
                value={mode}
                onValueChange={(value: PermissionMode) => void weft.setPermissions(space.id, value)}
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
              <p className="mode-caution">{t('mode.caution')}</p>
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
}
