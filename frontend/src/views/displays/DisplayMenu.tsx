import { Menu } from '@base-ui/react/menu';
import { Braces, CircleSlash, Copy, Link, MoreHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { say } from '../../state/notify';
import type { Json } from '../../transcript/types';
import { asJson, asText } from './asText';
import type { Fields } from './read';
import type { Result } from './result';

interface DisplayMenuProps {
  name: string;
  title: string;
  /** The input as rendered. */
  input: Fields;
  /** The input as sent. */
  sent: Fields;
  result: Result | null;
  answer: Json | undefined;
  onCopyLink: () => void;
  onWithdraw: (() => void) | undefined;
  /** Further items, for calls that aren't displays themselves. */
  more?: ReactNode;
}

/** The menu of a display: everything except answering it. */
export function DisplayMenu({
  name,
  title,
  input,
  sent,
  result,
  answer,
  onCopyLink,
  onWithdraw,
  more,
}: DisplayMenuProps) {
  const copy = (text: string) => void copyText(text).then(() => say(t('copied')));
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="icon-button quiet display-more"
        aria-label={t('displays.menu', { title })}
        title={t('displays.menu', { title })}
      >
        <MoreHorizontal size={15} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" onClick={() => copy(asText(name, title, input, answer, result))}>
              <Copy size={14} aria-hidden />
              {t('displays.copyText')}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => copy(asJson(sent, answer, result))}>
              <Braces size={14} aria-hidden />
              {t('displays.copyJson')}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={onCopyLink}>
              <Link size={14} aria-hidden />
              {t('link.display')}
            </Menu.Item>
            {more !== undefined && (
              <>
                <Menu.Separator className="menu-line" />
                {more}
              </>
            )}
            {onWithdraw !== undefined && (
              <>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item" onClick={onWithdraw}>
                  <CircleSlash size={14} aria-hidden />
                  {t('displays.withdraw')}
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
