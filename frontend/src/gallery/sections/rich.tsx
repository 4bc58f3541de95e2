import { Talk } from '../data/talk';
import { brokenDiagram, diagrams, folds, math, places } from '../data/texts';
import { Specimen } from '../Specimen';
import { Talked } from '../Talked';

const said = (text: string) => new Talk('talk').agent().say(text).end();

/** Formulas, folds and places of files in prose. */
export function Rich() {
  return (
    <>
      <Specimen of="Formulas in a line and by themselves, and one that is broken" wide>
        <Talked talk={said(math)} />
      </Specimen>
      <Specimen of="Folds" wide>
        <Talked talk={said(folds)} />
      </Specimen>
      <Specimen of="Names of files: those that exist are links" wide>
        <Talked
          talk={said(places)}
          scene={{
            answers: {
              FilesExist: { paths: ['src/apples.js', 'src/rows.ts', 'src/scales.js'] },
            },
          }}
        />
      </Specimen>
    </>
  );
}

/** Diagrams. Their letters are the system's: an image has no fonts of a page. */
export function Diagrams() {
  return (
    <>
      {diagrams.map(([of, text]) => (
        <Specimen key={of} of={of} wide>
          <Talked talk={said(text)} />
        </Specimen>
      ))}
      <Specimen of="One that is broken" wide>
        <Talked talk={said(brokenDiagram)} />
      </Specimen>
    </>
  );
}
