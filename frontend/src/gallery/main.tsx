import './clock';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../theme/tokens.css';
import '../theme/base.css';
import '../theme/parts.css';
import './gallery.css';
import './blobs';
import { createRoot } from 'react-dom/client';
import { applyAppearance } from '../theme/appearance';
import { appearance } from './data/answers';
import { Framed } from './Framed';
import { Gallery } from './Gallery';

// The gallery: every component in each of its states, with fixtures in place of a backend. ?section=…, ?theme=dark, ?width=760.

// What another visit has left behind would be seen.
localStorage.clear();
const root = document.getElementById('root');
if (root === null) throw new Error('gallery.html has no #root element');
const asked = new URLSearchParams(location.search);
const width = Number(asked.get('width') ?? window.innerWidth);
applyAppearance(appearance);

// With its letters there from the start nothing moves once it is drawn.
const letters = ['400 1rem "Inter Variable"', '400 1rem "JetBrains Mono Variable"'];
void Promise.all(letters.map((font) => document.fonts.load(font))).then(() => {
  // Rules for narrow windows ask for the width of the window: another width needs a window of its own.
  createRoot(root).render(
    width === window.innerWidth ? <Gallery section={asked.get('section')} /> : <Framed width={width} />,
  );
});
