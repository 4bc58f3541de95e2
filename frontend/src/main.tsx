import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/parts.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setLanguage } from './i18n';
import { chosenOnPage, languageOf, systemLanguages } from './i18n/language';
import { guardInputMethod } from './keyboard/inputMethod';
import { followAddress } from './state/address';
import { Weft, WeftContext } from './state/weft';
import { HttpTransport } from './transport/http';
import { startSession } from './transport/page';
import { inWindow, WailsTransport } from './transport/wails';
import { Shell } from './views/shell/Shell';

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root element');
  // Load it before the first layout, which would otherwise search all fonts of the machine for a substitute.
  void document.fonts?.load('1rem "Inter Variable"').catch(() => {});
  guardInputMethod(window);
  // If its strings fail to load, the window stays in English, which is bundled.
  const spoken = setLanguage(languageOf(chosenOnPage(), systemLanguages())).catch(() => {});
  // Without a session, every command fails with an error that the page shows.
  if (!inWindow()) await startSession().catch(() => {});
  const weft = new Weft(inWindow() ? new WailsTransport() : new HttpTransport());
  followAddress(weft);
  weft.start();
  await spoken;
  createRoot(root).render(
    <StrictMode>
      <WeftContext value={weft}>
        <Shell />
      </WeftContext>
    </StrictMode>,
  );
}

void start();
