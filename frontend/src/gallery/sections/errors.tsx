import type { Json } from '../../transcript/types';
import { minute, now } from '../clock';
import { folder } from '../data/spaces';
import { Talk } from '../data/talk';
import { registryList } from '../data/work';
import { TranscriptRows } from '../TranscriptRows';
import { offered, ways } from './writing';

const talk = () => new Talk('talk');
const asked = () => talk().prompt('Count the apples.').agent();

const signIn: Json = { ...(offered as Record<string, Json>), auth: ways };

/** The kinds of errors that offer different actions. */
export function ErrorKinds() {
  return (
    <>
      <TranscriptRows
        of="The command of the agent is missing"
        talk={asked().fail({
          code: 'agent_missing',
          message: 'Couldn’t start Robin: the command robin was not found.',
          detail: 'exec: "robin": executable file not found in $PATH',
        })}
        scene={{ answers: { Registry: registryList } }}
      />
      <TranscriptRows
        of="The agent needs a sign-in"
        talk={talk()
          .state('session', signIn)
          .prompt('Count the apples.')
          .agent()
          .fail({ code: 'auth_required', message: 'Sign in to the agent first.', retryable: true })}
      />
      <TranscriptRows
        of="The agent has ended"
        talk={asked().say('I’ll look.').fail({
          code: 'agent_exited',
          message: 'Robin has ended: exit status 1.',
          detail: 'warning: the scales are wet\npanic: no basket left\n\tat count (robin/src/count.rs:14)',
        })}
      />
      <TranscriptRows
        of="The provider of the model has a limit"
        talk={asked()
          .say('I’ll look.')
          .fail({
            ...{ code: 'limit', retryable: true, retryAt: now + 12 * minute },
            message: 'Anthropic takes no more requests for now: the limit of your plan is reached.',
          })}
      />
      <TranscriptRows
        of="The disk is full"
        talk={asked().fail({ code: 'disk_full', message: 'The disk is full. Nothing was stored.' })}
      />
    </>
  );
}

/** The ways in which a turn can end early or fail. */
export function Errors() {
  return (
    <>
      <TranscriptRows
        of="The turn failed"
        talk={asked()
          .say('I’ll look.')
          .fail({
            ...{ code: 'server', retryable: true },
            message: 'The model is overloaded. Try again in a minute.',
            detail: 'HTTP 529\n{"type":"overloaded_error"}',
          })}
      />
      <TranscriptRows
        of="The folder is gone"
        talk={asked().fail({ code: 'folder_not_found', message: `The folder ${folder} does not exist.` })}
      />
      <TranscriptRows
        of="The turn failed, and something was said since"
        talk={asked()
          .fail({ code: 'agent_error', message: 'Robin reported an error: no basket left.' })
          .prompt('Leave that.')}
      />
      <TranscriptRows
        of="Why a turn ended"
        talk={['cancelled', 'max_tokens', 'refusal'].reduce(
          (so, reason) => so.agent().say('So far.').end(reason),
          talk(),
        )}
      />
      <TranscriptRows
        of="What Weft has no view for"
        talk={talk().agent().say('Done.').unknown('weather', { wind: 'west' }).after(minute).end()}
      />
    </>
  );
}
