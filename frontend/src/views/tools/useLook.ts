import { removeCallRule, saveCallRule } from '../../commands/calls';
import { t } from '../../i18n';
import { sayUndoable } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { changeTo, keyOf, type RuleKey, wantedLook } from '../../transcript/callRules';
import { ruleOf } from '../../transcript/looks';
import type { ToolCall } from '../../transcript/model';
import { toldOf } from '../../transcript/style';
import type { Visibility } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { useReading } from '../transcript/reading';

export interface CallLook {
  /** What holds for calls like this one. */
  visibility: Visibility;
  /** What a rule is about; null where the agent does not name the tool. */
  about: RuleKey | null;
  /** The name of the rule's agent or server. */
  of: string;
  derived: boolean;
  choose(visibility: Visibility): void;
}

/** How calls like one are drawn, and how that is changed. */
export function useLook(call: ToolCall, messageId: string): CallLook {
  const weft = useWeft();
  const { session, hold } = useReading();
  const { looks, servers } = useStore(weft.server, (state) => state.toolCalls);
  const agents = useStore(weft.server, (state) => state.agents);
  const author = session.store.get().conversation.messages.find(({ id }) => id === messageId)?.author;
  const agent = author?.id ?? '';
  const about = ruleOf(looks, agent, toldOf(call)) ?? keyOf(call, agent, servers);
  const agentName = oneLine(agents.find(({ id }) => id === about?.agent)?.name ?? author?.name ?? '');
  const choose = (visibility: Visibility) => {
    const change = changeTo(visibility, call, agent, looks, servers);
    if (change === null) return;
    const { before, after, key } = change;
    hold();
    void weft.attempt(t('looks.failed'), async () => {
      if (after === null && before === null) return;
      await (after === null
        ? removeCallRule(weft, key)
        : saveCallRule(weft, { was: before === null ? null : key, rule: after }));
      const name = oneLine(key.tool);
      const tool = key.agent === '' ? name : t('looks.byAgent', { tool: name, agent: agentName });
      sayUndoable(t(`looks.did.${visibility}`, { tool }), () => {
        void weft.attempt(t('looks.failed'), () =>
          before === null ? removeCallRule(weft, key) : saveCallRule(weft, { was: null, rule: before }),
        );
      });
      if (visibility === 'hidden') afterwards(messageId);
    });
  };
  return {
    visibility: wantedLook(looks, agent, call),
    about,
    of: about === null ? '' : about.agent === '' ? serverName(about.server) : agentName,
    derived: toldOf(call).toolNameDerived === true && about !== null && about.server === '',
    choose,
  };
}

/** How a server is called where the user reads it. */
export function serverName(server: string): string {
  return server === 'weft' ? t('looks.weft') : oneLine(server);
}

/** What says about the hidden calls of a message, if it has some and is drawn. */
export function hiddenOf(messageId: string): HTMLElement | null {
  return document.querySelector(`[data-hidden-of="${CSS.escape(messageId)}"]`);
}

/** How many frames the row, its menu and the list are given to come to rest. */
const timeout = 60;

/**
 * The row that had the focus goes with its menu: what says about it has the focus then. The list may draw that again when it
 * has measured it, so that one look is not enough.
 */
function afterwards(messageId: string, left = timeout): void {
  requestAnimationFrame(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) hiddenOf(messageId)?.focus({ preventScroll: true });
    if (left > 0) afterwards(messageId, left - 1);
  });
}
