import { Talk } from '../data/talk';
import { brokenDiagram, diagrams, folds, math, places } from '../data/texts';
import { TranscriptRows } from '../TranscriptRows';

const said = (text: string) => new Talk('talk').agent().say(text).end();

/** Formulas, folds and file locations in prose. */
export function Rich() {
  return (
    <>
      <TranscriptRows of="Formulas in a line and by themselves, and one that is broken" talk={said(math)} />
      <TranscriptRows of="Folds" talk={said(folds)} />
      <TranscriptRows
        of="Names of files: those that exist are links"
        talk={said(places)}
        scene={{
          answers: {
            FilesExist: { paths: ['src/apples.js', 'src/rows.ts', 'src/scales.js'] },
          },
        }}
      />
    </>
  );
}

/** Diagrams. They use system fonts: an image has no access to the fonts of the page. */
export function Diagrams() {
  return (
    <>
      {diagrams.map(([of, text]) => (
        <TranscriptRows key={of} of={of} talk={said(text)} />
      ))}
      <TranscriptRows of="One that is broken" talk={said(brokenDiagram)} />
    </>
  );
}
