import { Suspense } from 'react';
import { Boundary } from '../views/parts/Boundary';
import { type Section, sections } from './sections';
import { isSection, sectionNames, shapes } from './shapes';

/** Shows one section, or the list of sections. */
export function Gallery({ section: name }: { section: string | null }) {
  if (!isSection(name)) return <Contents />;
  const section = sections[name];
  return (
    <Boundary>
      <Suspense>{shapes[name].kind === 'screen' ? <section.View /> : <Page section={section} />}</Suspense>
    </Boundary>
  );
}

function Page({ section: { title, View } }: { section: Section }) {
  return (
    <main className="gallery" data-picture>
      <h1 className="gallery-title">{title}</h1>
      <View />
    </main>
  );
}

/** Returns the address of a section or of the list, with theme and width. */
function address(change: Readonly<Record<string, string>>): string {
  const asked = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) asked.set(name, value);
  return `?${asked}`;
}

function Contents() {
  return (
    <main className="gallery">
      <h1 className="gallery-title">Gallery</h1>
      <ul className="gallery-contents">
        {sectionNames.map((name) => (
          <li key={name}>
            <a className="text-button" href={address({ section: name })}>
              {sections[name].title}
            </a>
          </li>
        ))}
      </ul>
      <p className="gallery-choices">
        {['light', 'dark'].map((theme) => (
          <a key={theme} className="text-button" href={address({ theme })}>
            {theme}
          </a>
        ))}
        {['760', '1100', '1720'].map((width) => (
          <a key={width} className="text-button" href={address({ width })}>
            {width} px
          </a>
        ))}
      </p>
    </main>
  );
}
