import { useEffect, useMemo, useState } from 'react';
import type { Session } from '../state/session';
import { useStore } from '../state/store';
import { useWeft } from '../state/weft';
import { applyEvents } from '../transcript/fold';
import { emptyConversation } from '../transcript/model';
import type { Appearance, Fork } from '../transport/api';
import { noSpot } from '../views/find/spot';
import { Disclosures } from '../views/transcript/disclosure';
import { TranscriptModel } from '../views/transcript/model';
import { RowView } from '../views/transcript/RowView';
import { ReadingContext } from '../views/transcript/reading';
import { useAuthorColors } from '../views/transcript/useAuthorColors';
import '../views/transcript/transcript.css';
import type { Scene } from './backend';
import { space } from './data/spaces';
import type { Talk } from './data/talk';
import { Specimen } from './Specimen';
import { Stage } from './Stage';

interface TranscriptRowsProps {
  /** Heading above it. */
  of?: string;
  talk: Talk;
  /** Which rows are open or closed, by their keys. */
  open?: Readonly<Record<string, boolean>>;
  thoughts?: Appearance['thoughts'];
  /** Prompts that have other versions. */
  forks?: ReadonlyMap<string, Fork>;
  scene?: Scene;
}

type Shown = Required<Omit<TranscriptRowsProps, 'of' | 'scene'>>;

const id = 'talk';
const noForks: ReadonlyMap<string, Fork> = new Map();

/** Renders all rows of a conversation without a virtual list. */
export function TranscriptRows({
  of,
  talk,
  open = {},
  thoughts = 'in-place',
  forks = noForks,
  scene = {},
}: TranscriptRowsProps) {
  const whole = { spaces: [space(id, 'Gallery')], ...scene };
  const [kept] = useState(talk);
  const rows = (
    <Stage scene={whole}>
      <Rows talk={kept} open={open} thoughts={thoughts} forks={forks} />
    </Stage>
  );
  if (of === undefined) return rows;
  return (
    <Specimen of={of} wide>
      {rows}
    </Specimen>
  );
}

function Rows({ talk, open, thoughts, forks }: Shown) {
  const weft = useWeft();
  const session = useMemo(() => {
    const made = weft.session(id);
    // Nothing is shortened, so an open row shows everything.
    const conversation = applyEvents(emptyConversation, talk.events);
    made.store.set({ status: 'ready', space: space(id, 'Gallery'), conversation });
    return made;
  }, [weft, talk]);
  return <Drawn session={session} open={open} thoughts={thoughts} forks={forks} />;
}

function Drawn({ session, open, thoughts, forks }: { session: Session } & Omit<Shown, 'talk'>) {
  const model = useMemo(() => new TranscriptModel(session, thoughts), [session, thoughts]);
  useEffect(() => model.follow(), [model]);
  const rows = useStore(model.store, (state) => state.rows);
  const style = useStore(model.store, (state) => state.style);
  const voices = useAuthorColors(session);
  const [disclosures] = useState(() => {
    const made = new Disclosures();
    for (const [key, value] of Object.entries(open)) made.set(key, value);
    return made;
  });
  const reading = useMemo(
    () => ({
      ...{ session, disclosures, thoughts, forks, voices, style, spot: noSpot },
      ...{ reveal: (messageId: string, shown: boolean) => model.reveal(messageId, shown), hold: () => {} },
    }),
    [session, disclosures, thoughts, forks, voices, style, model],
  );
  return (
    <ReadingContext value={reading}>
      <div className="transcript gallery-talk">
        {rows.map((row) => (
          <RowView key={row.key} row={row} />
        ))}
      </div>
    </ReadingContext>
  );
}
