import { useRef, useState } from 'react';
import { listModels } from '../../commands/agents';
import { asCommandError } from '../../commands/failure';
import { useWeft } from '../../state/weft';
import type { Failure } from '../../transcript/types';
import type { ModelChoice, ModelInfo, SecretInput } from '../../transport/api';

export interface Models {
  state: 'unknown' | 'asking' | 'listed' | 'failed';
  models: readonly ModelInfo[];
  failure: Failure | null;
}

export interface Asked {
  agentId: string;
  model: ModelChoice;
  secretEnv: Record<string, SecretInput>;
}

const unknown: Models = { state: 'unknown', models: [], failure: null };

/** The models of a provider. The same request isn't repeated unless the user wants it. */
export function useModels(): {
  found: Models;
  ask(what: Asked, again?: boolean): Promise<readonly ModelInfo[]>;
  clear(): void;
} {
  const weft = useWeft();
  const [found, setFound] = useState<Models>(unknown);
  const attempt = useRef(0);
  const last = useRef('');
  const clear = () => {
    attempt.current++;
    last.current = '';
    setFound(unknown);
  };
  const ask = async (what: Asked, again = false): Promise<readonly ModelInfo[]> => {
    const { provider, baseUrl, api } = what.model;
    const key = JSON.stringify([provider, baseUrl, api, what.secretEnv]);
    if (key === last.current && !again) return [];
    last.current = key;
    const mine = ++attempt.current;
    setFound({ ...unknown, state: 'asking' });
    let answer: Models;
    try {
      const { models, failure } = await listModels(weft, what);
      answer = { state: failure === null ? 'listed' : 'failed', models, failure };
    } catch (error) {
      const { code, message, detail } = asCommandError(error);
      answer = { state: 'failed', models: [], failure: { code, message, detail } };
    }
    if (mine !== attempt.current) return [];
    setFound(answer);
    return answer.models;
  };
  return { found, ask, clear };
}
