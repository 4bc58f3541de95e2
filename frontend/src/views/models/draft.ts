import type {
  Agent,
  ModelChoice,
  ModelInfo,
  ModelProvider,
  SaveAgentRequest,
  SecretInput,
} from '../../transport/api';

/** A card: a provider, or a server that is compatible with OpenAI's, whose id it has. */
export type Card = string;

export const compatible: Card = 'compatible';
const compatibleWith = 'openai';

/** The form state of a model. */
export interface Draft {
  card: Card;
  baseUrl: string;
  api: string;
  model: string;
  /** The user chose the model or the name, so they are no longer filled in automatically. */
  ownModel: boolean;
  name: string;
  ownName: boolean;
  /** As typed; never a stored one. */
  key: string;
  /** Reference to the stored key, which belongs to the initial card. */
  ref: string;
}

export function draftOf(agent: Agent | null, providers: readonly ModelProvider[]): Draft {
  const choice = agent?.model ?? null;
  if (agent === null || choice === null) {
    const first = providers[0];
    return {
      card: first?.id ?? '',
      baseUrl: '',
      api: '',
      model: first?.model ?? '',
      ownModel: false,
      name: '',
      ownName: false,
      key: '',
      ref: '',
    };
  }
  const provider = providers.find(({ id }) => id === choice.provider);
  const elsewhere = choice.provider === compatibleWith && otherHost(choice.baseUrl ?? '', provider);
  return {
    card: elsewhere ? compatible : choice.provider,
    baseUrl: choice.baseUrl ?? '',
    api: choice.api ?? '',
    model: choice.model ?? '',
    ownModel: true,
    name: agent.name,
    ownName: true,
    key: '',
    ref: agent.secretEnv?.[provider?.keyEnv ?? ''] ?? '',
  };
}

export function providerOf(card: Card, providers: readonly ModelProvider[]): ModelProvider | undefined {
  return providers.find(({ id }) => id === (card === compatible ? compatibleWith : card));
}

/** Switches the card, dropping the key, address and name of the previous one. */
export function withCard(draft: Draft, card: Card, began: Draft, providers: readonly ModelProvider[]): Draft {
  if (card === draft.card) return draft;
  if (card === began.card)
    return { ...began, name: draft.ownName ? draft.name : began.name, ownName: draft.ownName };
  return {
    ...draft,
    card,
    baseUrl: '',
    api: '',
    key: '',
    ref: '',
    model: card === compatible ? '' : (providerOf(card, providers)?.model ?? ''),
    ownModel: false,
  };
}

/** The model in the draft; null if it isn't valid yet. */
export function choiceOf(draft: Draft, providers: readonly ModelProvider[]): ModelChoice | null {
  const provider = providerOf(draft.card, providers);
  const baseUrl = draft.baseUrl.trim();
  if (provider === undefined || (draft.card === compatible && baseUrl === '') || !isAddress(baseUrl))
    return null;
  const model = draft.model.trim();
  return {
    provider: provider.id,
    ...(model !== '' && { model }),
    ...(baseUrl !== '' && { baseUrl }),
    ...(draft.api !== '' && provider.apis.includes(draft.api) && { api: draft.api }),
  };
}

/** Reports whether an address is valid; an empty one means the provider's default. */
export function isAddress(text: string): boolean {
  return text.trim() === '' || (/^https?:\/\/[^/\s]/.test(text.trim()) && URL.canParse(text.trim()));
}

/** The key to send: typed, stored, or none. */
export function keyOf(draft: Draft, providers: readonly ModelProvider[]): Record<string, SecretInput> {
  const name = providerOf(draft.card, providers)?.keyEnv ?? '';
  if (name === '') return {};
  if (draft.key.trim() !== '') return { [name]: { value: draft.key.trim() } };
  return draft.ref === '' ? {} : { [name]: { ref: draft.ref } };
}

/** Reports whether the provider can be asked: it has a key, or usually needs none. */
export function canAsk(draft: Draft, providers: readonly ModelProvider[]): boolean {
  const provider = providerOf(draft.card, providers);
  if (provider === undefined || choiceOf(draft, providers) === null) return false;
  const own = draft.card !== compatible && !otherHost(draft.baseUrl, provider);
  return !provider.needsKey || !own || provider.envKey || Object.keys(keyOf(draft, providers)).length > 0;
}

/** The default name of an agent. */
export function usualName(
  draft: Draft,
  models: readonly ModelInfo[],
  providers: readonly ModelProvider[],
): string {
  const model = draft.model.trim();
  const known = models.find(({ id }) => id === model)?.name ?? '';
  const provider = draft.card === compatible ? '' : (providerOf(draft.card, providers)?.name ?? '');
  return known || model || provider;
}

/** The name of the provider, for a sentence. */
export function whereOf(draft: Draft, providers: readonly ModelProvider[]): string {
  const provider = providerOf(draft.card, providers);
  const address = draft.baseUrl.trim();
  if (address !== '' && URL.canParse(address) && (draft.card === compatible || otherHost(address, provider)))
    return new URL(address).host;
  return provider?.name ?? '';
}

/** The agent to save or test. Settings that aren't in the form stay unchanged. */
export function requestOf(
  draft: Draft,
  agent: Agent | null,
  providers: readonly ModelProvider[],
): SaveAgentRequest | null {
  const model = choiceOf(draft, providers);
  if (model === null) return null;
  const keys = new Set(providers.map(({ keyEnv }) => keyEnv));
  const others = Object.entries(agent?.secretEnv ?? {}).filter(([name]) => !keys.has(name));
  return {
    id: agent?.id ?? '',
    name: draft.name.trim(),
    command: '',
    args: [],
    env: agent?.env ?? {},
    secretEnv: {
      ...Object.fromEntries(others.map(([name, ref]) => [name, { ref }])),
      ...keyOf(draft, providers),
    },
    cwd: agent?.cwd ?? 'space',
    ...(agent !== null && { process: agent.process, ...(agent.sandbox && { sandbox: agent.sandbox }) }),
    model,
  };
}

function otherHost(address: string, provider: ModelProvider | undefined): boolean {
  if (address.trim() === '' || provider === undefined || !URL.canParse(address.trim())) return false;
  return new URL(address.trim()).host !== new URL(provider.baseUrl).host;
}
