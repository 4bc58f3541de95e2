import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/parts.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { speak } from './i18n';
import { chosenOnPage, languageOf, systemLanguages } from './i18n/language';
import { sparesInputMethod } from './keyboard/inputMethod';
import { followAddress } from './state/address';
import { Weft, WeftContext } from './state/weft';
import { HttpTransport } from './transport/http';
import { startSession } from './transport/page';
import { inWindow, WailsTransport } from './transport/wails';
import { Shell } from './views/shell/Shell';

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root element');
  // Before anything is laid out: the first layout would look for every other font on the machine that could stand in.
  void document.fonts?.load('1rem "Inter Variable"').catch(() => {});
  sparesInputMethod(window);
  // Without its strings the window is in English, which is here already.
  const spoken = speak(languageOf(chosenOnPage(), systemLanguages())).catch(() => {});
  // Without a session, every command says so; the page shows that.
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
