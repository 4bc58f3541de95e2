import { memo, useEffect, useRef, useState } from 'react';
import { sendWindowStrings } from '../../commands/words';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { readKept, writeKept } from '../../state/ui';
import { useWeft } from '../../state/weft';
import { applyAppearance } from '../../theme/appearance';
import { Boundary } from '../parts/Boundary';
import { Brand } from '../parts/Brand';
import { returnFocusOnClose } from '../parts/closingFocus';
import { keepFocusInDialogs } from '../parts/dialogFocus';
import { keepFocusInView } from '../parts/focusInView';
import { keepFocus } from '../parts/keepFocus';
import { returnFocus } from '../parts/returnFocus';
import { TooltipContext } from '../parts/Tooltip';
import { Sidebar } from '../sidebar/Sidebar';
import { NewSpace } from '../spaces/NewSpace';
import { SidebarButton } from '../spaces/SpaceHeader';
import { SpaceView } from '../spaces/SpaceView';
import { Banners } from './Banners';
import { loadRest, useRest } from './later';
import { OtherSpacesAnnouncer } from './OtherSpacesAnnouncer';
import { Resizer } from './Resizer';
import { useDialogReturn } from './useDialogReturn';
import { useExternalRequest } from './useExternalRequest';
import { useIgnoredDrops } from './useIgnoredDrops';
import { useInstallNotices } from './useInstallNotices';
import { useKeys } from './useKeys';
import { useLanguage } from './useLanguage';
import { useMarkSeen } from './useMarkSeen';
import { useNotifications } from './useNotifications';
import { useShellActions } from './useShellActions';
import { useTitle } from './useTitle';
import { useToastFocus } from './useToastFocus';
import './shell.css';

/** The window: the sidebar, and the current screen beside it. */
export function Shell() {
  // Strings are read while rendering, also outside of React, so everything is rendered again.
  return <Shown key={useLanguage()} />;
}

function Shown() {
  const weft = useWeft();
  const appearance = useStore(weft.server, (state) => state.appearance);
  const status = useStore(weft.server, (state) => state.status);
  useEffect(() => applyAppearance(appearance), [appearance]);
  const screen = useStore(weft.shown, (state) => state.screen);
  // A space is the first screen by itself: see SpaceView.
  useEffect(() => {
    if (status === 'failed' || (status === 'ready' && screen !== 'space')) loadRest();
  }, [status, screen]);
  const rest = useRest();
  useKeys();
  useIgnoredDrops();
  useInstallNotices();
  useShellActions();
  useDialogReturn();
  useToastFocus();
  useEffect(keepFocus, []);
  useEffect(keepFocusInView, []);
  useEffect(keepFocusInDialogs, []);
  useEffect(returnFocusOnClose, []);
  useEffect(() => rest?.handleCopy(), [rest]);
  useEffect(() => rest?.ignoreRestingPointer(window), [rest]);
  useEffect(() => rest?.addUndoKeys(window, weft.inWindow), [weft, rest]);
  return (
    <TooltipContext value={rest?.TooltipPopup ?? null}>
      <Observers />
      {status === 'ready' && <Ready />}
      {status === 'ready' && <OtherSpacesAnnouncer />}
      {status === 'failed' && <Failed />}
      {status === 'ready' && rest !== null && <rest.WorktreeDialog />}
      {rest !== null && <rest.CloseDialog />}
      {rest !== null && (
        <rest.Toaster
          position="bottom-right"
          theme={appearance.theme}
          toastOptions={{ className: 'toast' }}
          containerAriaLabel={t('toasts')}
          gap={8}
          offset={{ bottom: 104, right: 20 }}
        />
      )}
    </TooltipContext>
  );
}

/** Hooks that observe all spaces, separate from the window so that it doesn't re-render for each change of a space. */
function Observers() {
  useWindowStrings();
  useTitle();
  useMarkSeen();
  useNotifications();
  useExternalRequest();
  return null;
}

/** Sends the native window its strings. Changing the language re-renders everything, which sends them again. */
function useWindowStrings() {
  const weft = useWeft();
  const ready = useStore(weft.server, (state) => state.status === 'ready');
  useEffect(() => {
    if (ready) sendWindowStrings(weft);
  }, [weft, ready]);
}

const Ready = memo(function Ready() {
  const weft = useWeft();
  const sidebarOpen = useStore(weft.shown, (state) => state.sidebarOpen);
  const drawerOpen = useStore(weft.shown, (state) => state.drawerOpen);
  const place = useStore(weft.shown, (state) => `${state.screen}:${state.selected}`);
  const [width, setWidth] = useState(() => readKept().sidebarWidth);
  const rest = useRest();
  // The button that hides the sidebar disappears with it; the one that shows it takes over the focus.
  const before = useRef({ sidebarOpen, drawerOpen });
  useEffect(() => {
    const was = before.current;
    before.current = { sidebarOpen, drawerOpen };
    if (was.sidebarOpen === sidebarOpen && was.drawerOpen === drawerOpen) return;
    returnFocus(() =>
      [...document.querySelectorAll('[data-toggles=sidebar]')].find((one) => one.checkVisibility()),
    );
  }, [sidebarOpen, drawerOpen]);
  return (
    <div
      className="shell"
      data-sidebar={sidebarOpen}
      data-drawer={drawerOpen}
      data-rest={rest !== null}
      style={{ '--sidebar-width': `${width}px` } as React.CSSProperties}
    >
      <div className="sidebar-pane">
        <Sidebar>
          <Resizer
            side="right"
            width={width}
            least={220}
            most={420}
            label={t('sidebar.resize')}
            onResize={setWidth}
            onDone={(sidebarWidth) => writeKept({ sidebarWidth })}
          />
        </Sidebar>
      </div>
      {drawerOpen && (
        <button
          type="button"
          className="drawer-backdrop"
          aria-label={t('sidebar.close')}
          onClick={() => weft.shown.set({ drawerOpen: false })}
        />
      )}
      <div className="content">
        <Banners />
        <Boundary of={place}>
          <Screen />
        </Boundary>
      </div>
      {rest !== null && (
        <>
          <rest.Palette />
          <rest.KeyboardMap />
          <rest.ImportDialog />
          <rest.ExportDialog />
          <rest.DeleteDialog />
          <rest.TagsDialog />
        </>
      )}
    </div>
  );
});

const Screen = memo(function Screen() {
  const weft = useWeft();
  const screen = useStore(weft.shown, (state) => state.screen);
  const selected = useStore(weft.shown, (state) => state.selected);
  const registryQuery = useStore(weft.shown, (state) => state.registryQuery);
  const rest = useRest();
  if (screen === 'space' && selected !== null) {
    return (
      <div className="screen">
        <SpaceView key={selected} spaceId={selected} />
      </div>
    );
  }
  return (
    <div className="screen screen-plain">
      <div className="bare-header">
        <SidebarButton />
      </div>
      {screen === 'settings' ? (
        rest !== null && <rest.Settings />
      ) : screen === 'registry' ? (
        rest !== null && <rest.Registry key={registryQuery} />
      ) : screen === 'inbox' ? (
        rest !== null && <rest.InboxScreen />
      ) : screen === 'search' ? (
        rest !== null && <rest.SearchScreen />
      ) : (
        <NewSpace />
      )}
    </div>
  );
});

function Failed() {
  const weft = useWeft();
  const error = useStore(weft.server, (state) => state.error);
  const refused = useStore(weft.server, (state) => state.connection === 'refused');
  // The backend will not start anymore, so retrying would be pointless.
  const notStarted = error?.code === 'not_started';
  return (
    <main className="page-center">
      <span className="brand">
        <Brand />
        Weft
      </span>
      <div role="alert" className="page-text">
        <h1 className="page-title">{refused ? t('start.refused') : t('start.failed')}</h1>
        <p className="page-lead">{refused ? t('start.refusedLead') : error?.message}</p>
        {notStarted && (
          <>
            {error.detail !== '' && <pre className="code-box">{error.detail}</pre>}
            <p className="page-lead">{t('start.notStarted')}</p>
          </>
        )}
      </div>
      {!refused && !notStarted && (
        <button type="button" className="button primary" onClick={() => void weft.load()}>
          {t('again')}
        </button>
      )}
    </main>
  );
}
