import { describe, expect, it } from 'vitest';
import type { Agent, ModelProvider } from '../../transport/api';
import {
  canAsk,
  choiceOf,
  compatible,
  draftOf,
  keyOf,
  requestOf,
  usualName,
  whereOf,
  withCard,
} from './draft';

const provider = (id: string, more: Partial<ModelProvider> = {}): ModelProvider => ({
  id,
  name: id[0]?.toUpperCase() + id.slice(1),
  baseUrl: `https://api.${id}.example/v1`,
  keyEnv: `${id.toUpperCase()}_API_KEY`,
  keyPage: '',
  model: `${id}-usual`,
  local: false,
  needsKey: true,
  apis: [],
  envKey: false,
  ...more,
});
const providers = [
  provider('openai', { apis: ['responses', 'chat'] }),
  provider('anthropic'),
  provider('ollama', { needsKey: false, local: true, model: '', baseUrl: 'http://127.0.0.1:11434' }),
];

const saved: Agent = {
  id: 'pear',
  name: 'Pear',
  description: '',
  homepage: '',
  command: '/opt/weft',
  args: ['agent'],
  env: { A: 'b' },
  cwd: 'home',
  process: 'perSpace',
  source: 'custom',
  installed: true,
  installHint: '',
  default: false,
  secretEnv: { OPENAI_API_KEY: 'file:1', OTHER: 'file:2' },
  logOut: true,
  registry: null,
  sandbox: null,
  modelProxy: null,
  unasked: null,
  tested: null,
  leads: [],
  wholeFrom: '',
  model: { provider: 'openai', model: 'pear-30b', baseUrl: 'http://10.0.0.7:1234/v1', api: 'chat' },
};

describe('the form of a model', () => {
  it('begins with the first provider and its usual model', () => {
    const draft = draftOf(null, providers);
    expect(draft).toMatchObject({ card: 'openai', model: 'openai-usual', name: '' });
    expect(choiceOf(draft, providers)).toEqual({ provider: 'openai', model: 'openai-usual' });
    expect(usualName(draft, [{ id: 'openai-usual', name: 'Usual One', context: 0 }], providers)).toBe(
      'Usual One',
    );
  });

  it('gives an agent back as it was', () => {
    const draft = draftOf(saved, providers);
    expect(draft).toMatchObject({ card: compatible, ref: 'file:1', key: '' });
    expect(whereOf(draft, providers)).toBe('10.0.0.7:1234');
    expect(requestOf(draft, saved, providers)).toEqual({
      id: 'pear',
      name: 'Pear',
      command: '',
      args: [],
      env: { A: 'b' },
      secretEnv: { OPENAI_API_KEY: { ref: 'file:1' }, OTHER: { ref: 'file:2' } },
      cwd: 'home',
      process: 'perSpace',
      model: saved.model,
    });
  });

  it('sends a key to nobody else', () => {
    const began = draftOf(saved, providers);
    const typed = { ...began, key: 'typed' };
    for (const card of ['openai', 'anthropic', 'ollama']) {
      const other = withCard(typed, card, began, providers);
      expect(keyOf(other, providers)).toEqual({});
      expect(other.baseUrl).toBe('');
      expect(requestOf(other, saved, providers)?.secretEnv).toEqual({ OTHER: { ref: 'file:2' } });
    }
    const back = withCard(withCard(typed, 'anthropic', began, providers), compatible, began, providers);
    expect(keyOf(back, providers)).toEqual({ OPENAI_API_KEY: { ref: 'file:1' } });
    expect(back.baseUrl).toBe(began.baseUrl);
  });

  it('asks only who can answer', () => {
    const draft = draftOf(null, providers);
    expect(canAsk(draft, providers)).toBe(false);
    expect(canAsk({ ...draft, key: 'k' }, providers)).toBe(true);
    expect(canAsk(draft, [provider('openai', { envKey: true })])).toBe(true);
    const local = withCard(draft, 'ollama', draft, providers);
    expect(local.model).toBe('');
    expect(canAsk(local, providers)).toBe(true);
    const server = withCard(draft, compatible, draft, providers);
    expect(canAsk(server, providers)).toBe(false);
    for (const wrong of ['localhost:1', 'ftp://x', 'http://', 'http://a b'])
      expect(choiceOf({ ...server, baseUrl: wrong }, providers)).toBeNull();
    expect(canAsk({ ...server, baseUrl: ' http://localhost:1/v1 ' }, providers)).toBe(true);
  });

  it('leaves out an interface that the provider does not have', () => {
    const draft = { ...draftOf(saved, providers), card: 'anthropic', baseUrl: '' };
    expect(choiceOf(draft, providers)).toEqual({ provider: 'anthropic', model: 'pear-30b' });
  });
});
