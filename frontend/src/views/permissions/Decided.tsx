import { t } from '../../i18n';
import { sentences } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { By, Permission } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { WholeLine } from '../parts/Lines';
import { WhyAsked } from './NotAsked';
import { about } from './words';
import './permissions.css';

/** For a call with very many requests, only the last ones are shown. */
const most = 3;

/** Who answered the requests of a call other than the user, and why some have no answer. */
export function Decided({ call }: { call: ToolCall }) {
  const told = call.permissions.filter(isShown).slice(-most);
  return told.map((request) => <Trace key={request.requestId} request={request} />);
}

function isShown({ outcome, by }: Permission): boolean {
  return (outcome ?? '') !== '' && (by !== undefined || outcome === 'lost');
}

function Trace({ request }: { request: Permission }) {
  const by: By = request.by ?? { who: 'weft' };
  if (request.outcome === 'unasked') {
    return (
      <p className="decided" data-unasked="true">
        <Sentence
          text={withSlots((slot) =>
            sentences([
              by.found === true ? t('permission.by.notAskedFound') : t('permission.by.notAsked'),
              slot('why'),
            ]),
          )}
          slots={{ why: <WhyAsked by={by} /> }}
        />
      </p>
    );
  }
  return (
    <p className="decided" data-effect={by.effect}>
      {by.who === 'rule' ? <ByRule by={by} /> : sentence(by)}
    </p>
  );
}

function ByRule({ by }: { by: By }) {
  const weft = useWeft();
  const { words, code } = about({
    kind: by.kind ?? '',
    command: by.command ?? '',
    path: by.path ?? '',
    tool: by.tool ?? '',
  });
  return (
    <>
      <Sentence
        text={withSlots((_, put) =>
          by.effect === 'reject'
            ? t('permission.by.ruleReject', { what: put(words) })
            : t('permission.by.ruleAllow', { what: put(words) }),
        )}
        slots={{
          code: (
            <code>
              <WholeLine text={code} />
            </code>
          ),
        }}
      />{' '}
      <button
        type="button"
        className="text-button"
        onClick={() => weft.showPermissions('rules', by.ruleId ?? null)}
      >
        {t('permission.openRule')}
      </button>
    </>
  );
}

function sentence(by: By): string {
  switch (by.who) {
    case 'mode':
      return by.askedBy
        ? t('permission.by.askedBy', { name: oneLine(by.askedBy) })
        : t('permission.by.readOnly');
    case 'agent_mode':
      return by.mode
        ? t('permission.by.agentMode', { mode: oneLine(by.mode) })
        : t('permission.by.agentModeUnnamed');
    case 'answered':
      return by.effect === 'reject' ? t('permission.by.answeredReject') : t('permission.by.answeredAllow');
    case 'agent':
    case 'stop':
    case 'exit':
      return t(`permission.by.${by.who}`);
    default:
      return t('permission.by.weft');
  }
}
