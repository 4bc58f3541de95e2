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

// The gallery: every component in each of its states, with fixtures instead of a backend. ?section=…, ?theme=dark,
// ?width=760.

// State from an earlier visit would show up.
localStorage.clear();
const root = document.getElementById('root');
if (root === null) throw new Error('gallery.html has no #root element');
const asked = new URLSearchParams(location.search);
const width = Number(asked.get('width') ?? window.innerWidth);
applyAppearance(appearance);

// With the fonts loaded first, nothing moves after it is drawn.
const letters = ['400 1rem "Inter Variable"', '400 1rem "JetBrains Mono Variable"'];
void Promise.all(letters.map((font) => document.fonts.load(font))).then(() => {
  // Media queries depend on the width of the window, so another width needs its own window (an iframe).
  createRoot(root).render(
    width === window.innerWidth ? <Gallery section={asked.get('section')} /> : <Framed width={width} />,
  );
});
