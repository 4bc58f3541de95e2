import { Talk } from '../data/talk';
import { brokenDiagram, diagrams, folds, math, places } from '../data/texts';
import { Talked } from '../Talked';

const said = (text: string) => new Talk('talk').agent().say(text).end();

/** Formulas, folds and places of files in prose. */
export function Rich() {
  return (
    <>
      <Talked of="Formulas in a line and by themselves, and one that is broken" talk={said(math)} />
      <Talked of="Folds" talk={said(folds)} />
      <Talked
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

/** Diagrams. Their letters are the system's: an image has no fonts of a page. */
export function Diagrams() {
  return (
    <>
      {diagrams.map(([of, text]) => (
        <Talked key={of} of={of} talk={said(text)} />
      ))}
      <Talked of="One that is broken" talk={said(brokenDiagram)} />
    </>
  );
}
