import { rescanAgents } from '../../commands/agents';
import { quit } from '../../commands/background';
import { t } from '../../i18n';
import { type Language, languages } from '../../i18n/language';
import { isMac, useActions } from '../../keyboard/actions';
import { goBack, goForward } from '../../state/address';
import { firstFor } from '../../state/inbox';
import { undoable, undoDone } from '../../state/notify';
import { settingsSections } from '../../state/settingsPlace';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { focusRequest, inRequest } from '../tools/requests';

const named = Object.keys(languages) as Language[];

/** Actions that are available everywhere. */
export function useShellActions(): void {
  const weft = useWeft();
  const { thoughts, density } = useStore(weft.server, (state) => state.appearance);
  // From the current value: two keys may come between two renders.
  const scale = (by: number) => {
    const { textScale } = weft.server.get().appearance;
    void weft.saveAppearance({ textScale: Math.min(150, Math.max(80, textScale + by)) });
  };
  const look = t('section.appearance');
  const undone = useStore(undoable, ({ list }) => list.at(-1));
  useActions([
    {
      id: 'palette',
      title: t('action.palette'),
      section: t('section.weft'),
      keys: 'mod+k',
      keyOnly: true,
      run: () => weft.open('palette'),
    },
    {
      id: 'space.new',
      title: t('action.newSpace'),
      section: t('section.spaces'),
      keys: 'mod+n',
      run: () => weft.show('new'),
    },
    {
      id: 'search',
      title: t('action.search'),
      section: t('section.spaces'),
      keys: 'mod+shift+f',
      keywords: ['find', 'everywhere', 'history', 'text'],
      run: () => weft.showSearch(),
    },
    {
      id: 'inbox',
      title: t('action.inbox'),
      section: t('section.spaces'),
      keys: 'mod+j',
      keywords: ['waiting', 'requests', 'permission', 'next', 'triage'],
      run: () => {
        const { screen, selected } = weft.shown.get();
        weft.showInbox(firstFor(weft.pending(), screen === 'space' ? selected : null, inRequest()), true);
      },
    },
    {
      id: 'request.focus',
      title: t('action.request'),
      section: t('section.spaces'),
      keys: 'mod+shift+j',
      run: () => void focusRequest(),
    },
    {
      id: 'go.back',
      title: t('action.goBack'),
      section: t('section.weft'),
      keys: isMac ? 'mod+[' : 'alt+ArrowLeft',
      keywords: ['previous', 'jump'],
      run: goBack,
    },
    {
      id: 'go.forward',
      title: t('action.goForward'),
      section: t('section.weft'),
      keys: isMac ? 'mod+]' : 'alt+ArrowRight',
      run: goForward,
    },
    {
      id: 'settings',
      title: t('action.settings'),
      section: t('section.weft'),
      keys: 'mod+,',
      run: () => weft.show('settings'),
    },
    ...settingsSections.map((one) => ({
      id: `settings.${one}`,
      title: t('settings.goTo', { section: t(`settings.sections.${one}`) }),
      section: t('section.weft'),
      run: () => weft.showSettings(one),
    })),
    ...(weft.inWindow
      ? [
          {
            id: 'quit',
            title: t('action.quit'),
            section: t('section.weft'),
            keywords: ['exit', 'close'],
            run: () => quit(weft),
          },
        ]
      : []),
    ...(undone === undefined
      ? []
      : [
          {
            id: 'undo',
            title: t('action.undoLast', { what: oneLine(undone.what) }),
            section: t('section.weft'),
            keywords: ['restore', 'deleted'],
            run: () => undoDone(undone),
          },
        ]),
    {
      id: 'keyboard',
      title: t('action.keyboard'),
      section: t('section.weft'),
      keys: '?',
      run: () => weft.open('keyboard'),
    },
    {
      id: 'keyboard.writing',
      title: t('action.keyboardWriting'),
      section: t('section.weft'),
      keys: 'mod+/',
      keyOnly: true,
      run: () => weft.open('keyboard'),
    },
    {
      id: 'toasts',
      title: t('action.toasts'),
      section: t('section.weft'),
      keys: 'alt+t',
      keyOnly: true,
      // The toaster has received the key, too: it pauses while it has the focus.
      run: () => document.querySelector<HTMLElement>('[data-sonner-toast][data-front=true]')?.focus(),
    },
    {
      id: 'sidebar',
      title: t('action.toggleSidebar'),
      section: t('section.weft'),
      keys: 'mod+b',
      run: () => weft.toggleSidebar(),
    },
    {
      id: 'permissions.list',
      title: t('action.permissionRules'),
      section: t('section.weft'),
      run: () => weft.showPermissions('rules'),
    },
    {
      id: 'permissions.history',
      title: t('action.permissionHistory'),
      section: t('section.weft'),
      run: () => weft.showPermissions('history'),
    },
    {
      id: 'registry',
      title: t('action.registry'),
      section: t('section.weft'),
      keywords: ['install', 'registry', 'update'],
      run: () => weft.show('registry'),
    },
    {
      id: 'import',
      title: t('action.import'),
      section: t('section.spaces'),
      keywords: ['export', 'json', 'history'],
      run: () => weft.open('import'),
    },
    {
      id: 'import.programs',
      title: t('action.importPrograms'),
      section: t('section.spaces'),
      keywords: ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'history', 'migrate'],
      run: () => weft.showSettings('import'),
    },
    {
      id: 'agents.rescan',
      title: t('action.rescan'),
      section: t('section.weft'),
      run: () => void rescanAgents(weft),
    },
    {
      id: 'theme.system',
      title: t('action.themeSystem'),
      section: look,
      run: () => void weft.saveAppearance({ theme: 'system' }),
    },
    {
      id: 'theme.light',
      title: t('action.themeLight'),
      section: look,
      run: () => void weft.saveAppearance({ theme: 'light' }),
    },
    {
      id: 'theme.dark',
      title: t('action.themeDark'),
      section: look,
      run: () => void weft.saveAppearance({ theme: 'dark' }),
    },
    ...(['system', ...named] as const).map((one) => ({
      id: `language.${one}`,
      title: t('action.language', { language: one === 'system' ? t('appearance.system') : languages[one] }),
      section: look,
      // Also in English, for users who can't read the current language.
      keywords: ['language', one, one === 'system' ? '' : languages[one]],
      run: () => void weft.saveAppearance({ language: one }),
    })),
    {
      id: 'density',
      title: density === 'compact' ? t('action.comfortable') : t('action.compact'),
      section: look,
      run: () => void weft.saveAppearance({ density: density === 'compact' ? 'comfortable' : 'compact' }),
    },
    {
      id: 'text.larger',
      title: t('action.larger'),
      section: look,
      keys: 'mod+=',
      run: () => scale(10),
    },
    {
      id: 'text.smaller',
      title: t('action.smaller'),
      section: look,
      keys: 'mod+-',
      run: () => scale(-10),
    },
    {
      id: 'text.normal',
      title: t('action.normalSize'),
      section: look,
      keys: 'mod+0',
      run: () => void weft.saveAppearance({ textScale: 100 }),
    },
    ...(['in-place', 'top', 'hidden'] as const)
      .filter((place) => place !== thoughts)
      .map((place) => ({
        id: `thoughts.${place}`,
        title: t(`action.thoughts.${place}`),
        section: look,
        run: () => void weft.saveAppearance({ thoughts: place }),
      })),
  ]);
}
