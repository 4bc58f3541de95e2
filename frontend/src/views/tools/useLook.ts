import { removeCallRule, saveCallRule } from '../../commands/calls';
import { t } from '../../i18n';
import { showUndoable } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { changeTo, keyOf, type RuleKey, wantedLook } from '../../transcript/callRules';
import { ruleOf } from '../../transcript/looks';
import type { ToolCall } from '../../transcript/model';
import { originalCall } from '../../transcript/style';
import type { Visibility } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { useReading } from '../transcript/reading';

export interface CallLook {
  /** The visibility for calls like this one. */
  visibility: Visibility;
  /** What a rule would apply to; null if the agent doesn't name the tool. */
  about: RuleKey | null;
  /** The name of the rule's agent or server. */
  of: string;
  derived: boolean;
  choose(visibility: Visibility): void;
}

/** How calls like this one are shown, and functions to change that. */
export function useLook(call: ToolCall, messageId: string): CallLook {
  const weft = useWeft();
  const { session, hold } = useReading();
  const { looks, servers } = useStore(weft.server, (state) => state.toolCalls);
  const agents = useStore(weft.server, (state) => state.agents);
  const author = session.store.get().conversation.messages.find(({ id }) => id === messageId)?.author;
  const agent = author?.id ?? '';
  const about = ruleOf(looks, agent, originalCall(call)) ?? keyOf(call, agent, servers);
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
      showUndoable(t(`looks.did.${visibility}`, { tool }), () => {
        void weft.attempt(t('looks.failed'), () =>
          before === null ? removeCallRule(weft, key) : saveCallRule(weft, { was: null, rule: before }),
        );
      });
      if (visibility === 'hidden') focusHiddenRow(messageId);
    });
  };
  return {
    visibility: wantedLook(looks, agent, call),
    about,
    of: about === null ? '' : about.agent === '' ? serverName(about.server) : agentName,
    derived: originalCall(call).toolNameDerived === true && about !== null && about.server === '',
    choose,
  };
}

/** The displayed name of a server. */
export function serverName(server: string): string {
  return server === 'weft' ? t('looks.weft') : oneLine(server);
}

/** The row about the hidden calls of a message, if it is rendered. */
export function hiddenOf(messageId: string): HTMLElement | null {
  return document.querySelector(`[data-hidden-of="${CSS.escape(messageId)}"]`);
}

/** How many frames to wait for the row, its menu and the list to settle. */
const timeout = 60;

/**
 * The focused row disappears with its menu, so the row about hidden calls gets the focus. The list may render that
 * again after measuring it, so checking once is not enough.
 */
function focusHiddenRow(messageId: string, left = timeout): void {
  requestAnimationFrame(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) hiddenOf(messageId)?.focus({ preventScroll: true });
    if (left > 0) focusHiddenRow(messageId, left - 1);
  });
}
