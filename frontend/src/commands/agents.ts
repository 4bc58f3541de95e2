import { t } from '../i18n';
import { say } from '../state/notify';
import { readLastUsed, writeKept } from '../state/ui';
import type { Weft } from '../state/weft';
import type { Agent, Request, SaveAgentRequest, SecretStore, SignInTarget } from '../transport/api';

// Commands for agents, models and API keys.

/** Saves an agent. A new agent becomes the default for the next space. */
export async function saveAgent(weft: Weft, agent: SaveAgentRequest) {
  const saved = await weft.transport.call('SaveAgent', agent);
  if (agent.id === '') rememberAgent(saved);
  return saved;
}

function rememberAgent({ id, name }: Agent): void {
  writeKept({ lastAgent: { id, name } });
}

export function removeAgent(weft: Weft, agentId: string) {
  return weft.transport.call('RemoveAgent', { agentId });
}

export function duplicateAgent(weft: Weft, agentId: string) {
  return weft.transport.call('DuplicateAgent', { agentId });
}

export function setDefaultAgent(weft: Weft, agentId: string) {
  return weft.transport.call('SetDefaultAgent', { agentId });
}

export function declineSandbox(weft: Weft, agentId: string) {
  return weft.transport.call('DeclineSandbox', { agentId });
}

export function declineModelProxy(weft: Weft, agentId: string) {
  return weft.transport.call('DeclineModelProxy', { agentId });
}

/** Tests an agent. If only the guide was used so far, an agent that works becomes the default for the next space. */
export async function testAgent(weft: Weft, what: Request<'TestAgent'>) {
  const result = await weft.transport.call('TestAgent', what);
  const { agents } = weft.server.get();
  const tested = agents.find(({ id }) => 'agentId' in what && id === what.agentId);
  const last = agents.find(({ id }) => id === readLastUsed().lastAgent?.id);
  if (result.ok && tested !== undefined && (last === undefined || last.source === 'builtin'))
    rememberAgent(tested);
  return result;
}

/** Cancels a running test of an agent or an MCP server, or a running sign-in. */
export function cancelTest(weft: Weft): Promise<unknown> {
  return weft.transport.call('CancelTest').catch(() => {});
}

export function listModels(weft: Weft, what: Request<'ListModels'>) {
  return weft.transport.call('ListModels', what);
}

export function setSecretStore(weft: Weft, store: SecretStore) {
  return weft.transport.call('SetSecretStore', { store });
}

export function signIn(
  weft: Weft,
  target: SignInTarget,
  methodId: string,
  values?: Record<string, string>,
): Promise<unknown> {
  return weft.transport.call('SignIn', { ...target, methodId, ...(values === undefined ? {} : { values }) });
}

/** A sign-in that runs in a terminal and receives what the user types until it ends. */
export const terminalSignIn = {
  start: (weft: Weft, request: Request<'StartSignIn'>) => weft.transport.call('StartSignIn', request),
  output: (weft: Weft, request: Request<'SignInOutput'>) => weft.transport.call('SignInOutput', request),
  type: (weft: Weft, request: Request<'TypeSignIn'>) => weft.transport.call('TypeSignIn', request),
  resize: (weft: Weft, request: Request<'ResizeSignIn'>) =>
    weft.transport.call('ResizeSignIn', request).catch(() => {}),
  end: (weft: Weft, terminalId: string) => weft.transport.call('EndSignIn', { terminalId }).catch(() => {}),
};

/** Rescans this machine for installed agents. */
export function rescanAgents(weft: Weft): Promise<void> {
  return weft.attempt(t('failed.rescan'), async () => {
    weft.server.set({ agents: (await weft.transport.call('RescanAgents')) ?? [] });
  });
}

export async function reloadAgents(weft: Weft): Promise<void> {
  weft.server.set({ agents: (await weft.transport.call('ListAgents')) ?? [] });
}

/** Logs out of an agent and deletes the environment variables that were stored for it. */
export async function logOut(weft: Weft, target: SignInTarget, name: string): Promise<void> {
  await weft.attempt(t('failed.logOut'), async () => {
    const { agent, forgotten } = await weft.transport.call('LogOut', target);
    say(
      agent
        ? t('signIn.loggedOut', { agent: name })
        : t('signIn.forgotten', { agent: name, count: forgotten, n: forgotten }),
    );
  });
  await weft.attempt(t('failed.agent'), () => reloadAgents(weft));
}
