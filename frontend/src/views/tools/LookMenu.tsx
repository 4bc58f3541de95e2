import { Menu } from '@base-ui/react/menu';
import { Braces, Check, Copy, Eye, EyeOff, Link, MoreHorizontal, Rows2 } from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Visibility } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { LooseMenu, type MenuPoint } from '../parts/LooseMenu';
import { PlaceItems } from '../places/PlaceMenu';
import { readTitle } from './command';
import { hiddenOf, useLook } from './useLook';

const looks = ['full', 'minimal', 'hidden'] as const;
const icons = { full: Eye, minimal: Rows2, hidden: EyeOff };

interface LookProps {
  call: ToolCall;
  messageId: string;
  /** Actions for the file in the title, if it names one. */
  place?: Parameters<typeof PlaceItems>[0] | null;
  /** Copies the command of the call, if it has one. */
  onCopyCommand?: (() => void) | undefined;
  /** Copies the link to the call. */
  onCopyLink?: (() => void) | undefined;
  /** Toggles input and output as sent by the agent. */
  onShowSent?: (() => void) | undefined;
}

/** The menu items of a call, including how calls like it are shown. */
export function LookItems({ call, messageId, place = null, ...does }: LookProps) {
  const { onCopyCommand, onCopyLink, onShowSent } = does;
  const weft = useWeft();
  const { visibility, about, of, derived, choose } = useLook(call, messageId);
  return (
    <>
      {place !== null && (
        <>
          <PlaceItems {...place} />
          <Menu.Separator className="menu-line" />
        </>
      )}
      {onCopyCommand !== undefined && (
        <Menu.Item className="menu-item" onClick={onCopyCommand}>
          <Copy size={14} aria-hidden />
          <span className="grow">{t('tool.copyCommand')}</span>
        </Menu.Item>
      )}
      {onCopyCommand !== undefined && <Menu.Separator className="menu-line" />}
      <Menu.Group>
        <Menu.GroupLabel className="mode-title">{t('looks.title')}</Menu.GroupLabel>
        {about === null ? (
          <p className="look-note">{t('looks.noName')}</p>
        ) : (
          <>
            <Menu.RadioGroup value={visibility} onValueChange={(value: Visibility) => choose(value)}>
              {looks.map((one) => {
                const Icon = icons[one];
                return (
                  <Menu.RadioItem key={one} value={one} className="menu-item" closeOnClick>
                    <Icon size={14} aria-hidden />
                    <span className="look-name">{t(`looks.as.${one}`)}</span>
                    <Menu.RadioItemIndicator className="mode-chosen">
                      <Check size={14} aria-hidden />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                );
              })}
            </Menu.RadioGroup>
            <p className="look-note">
              <span className="mono">{oneLine(about.tool)}</span>
              {of !== '' && ` · ${of}`}
              {derived && <span className="look-derived">{t('looks.derived')}</span>}
            </p>
          </>
        )}
      </Menu.Group>
      <Menu.Separator className="menu-line" />
      {onShowSent !== undefined && (
        <Menu.Item className="menu-item" onClick={onShowSent}>
          <Braces size={14} aria-hidden />
          <span className="grow">{t('tool.asSent')}</span>
        </Menu.Item>
      )}
      {onCopyLink !== undefined && (
        <Menu.Item className="menu-item" onClick={onCopyLink}>
          <Link size={14} aria-hidden />
          <span className="grow">{t('link.call')}</span>
        </Menu.Item>
      )}
      <Menu.Item className="menu-item" onClick={() => weft.showSettings('calls')}>
        {t('looks.manage')}
      </Menu.Item>
    </>
  );
}

/** The menu of a row: its button, and the handler that opens it with a right click. */
export function useLookMenu({ call, messageId, place = null, ...does }: LookProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<MenuPoint | null>(null);
  const onContextMenu = (event: MouseEvent) => {
    // The user is selecting text to copy it.
    if (window.getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    // With the keyboard, it opens at the button.
    const byKey = event.detail === 0 && event.button !== 2;
    setAt(byKey ? button.current : { x: event.clientX, y: event.clientY });
  };
  const title = oneLine(readTitle(call).line || call.toolName || t('tool.untitled'));
  const menu = (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button quiet tool-more"
        aria-label={t('looks.menu', { title })}
        title={t('looks.menu', { title })}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        data-popup-open={at !== null || undefined}
        onClick={() => setAt(button.current)}
      >
        <MoreHorizontal size={15} aria-hidden />
      </button>
      {/* Mounted on demand, because few rows need it. */}
      {at !== null && (
        <LooseMenu
          at={at}
          align={at instanceof HTMLElement ? 'end' : 'start'}
          className="menu look-menu"
          back={() => (button.current?.isConnected === true ? button.current : hiddenOf(messageId))}
          onClose={() => setAt(null)}
        >
          <LookItems {...{ call, messageId, place, ...does }} />
        </LooseMenu>
      )}
    </>
  );
  return { menu, onContextMenu };
}
