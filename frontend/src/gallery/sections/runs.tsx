import type { RunSummary } from '../../transport/api';
import type { Answers } from '../backend';
import { minute, second } from '../clock';
import { nothingDone } from '../data/answers';
import { Talk } from '../data/talk';
import { TranscriptRows } from '../TranscriptRows';

const counted = (took: number, usage: { totalTokens?: number; cost?: number } = {}) => {
  const { totalTokens = 0, cost } = usage;
  return new Talk('talk')
    .prompt('Count the apples.')
    .agent()
    .say('There are twelve, one of them green.')
    .after(took)
    .end('end_turn', {
      ...(totalTokens > 0 && { totalTokens }),
      ...(cost !== undefined && { cost: { amount: cost, currency: 'USD' } }),
    });
};

const done = (change: Partial<RunSummary>): { answers: Answers } => ({
  answers: { RunSummary: { ...nothingDone, ...change } },
});

/** Footers of finished turns. */
export function Footers() {
  return (
    <>
      <TranscriptRows of="Only words" talk={counted(3 * second)} scene={done({})} />
      <TranscriptRows
        of="Files, commands, tokens, a price, and all that can be done"
        talk={counted(4 * minute, { totalTokens: 226_600, cost: 0.42 })}
        scene={done({
          ...{ promptId: 'talk-m1', files: 3, added: 24, removed: 8, commands: 5, repository: true },
        })}
      />
      <TranscriptRows
        of="With what has failed, and nothing to undo"
        talk={counted(64 * minute, { totalTokens: 12_400 })}
        scene={done({
          ...{
            files: 1,
            added: 1,
            removed: 2,
            commands: 3,
            commandsFailed: 1,
            failed: 4,
            repository: true,
          },
        })}
      />
      <TranscriptRows
        of="In a folder without a repository"
        talk={counted(40 * second, { totalTokens: 980 })}
        scene={done({ promptId: 'talk-m1', files: 128, added: 14_200, removed: 9_807 })}
      />
      <TranscriptRows
        of="Commands only, too many to count what has failed"
        talk={counted(9 * minute)}
        scene={done({ commands: 2400, commandsFailed: -1, failed: 17 })}
      />
    </>
  );
}
