import { useCallback, useEffect, useRef, useState } from 'react';
import { useWeft } from '../../state/weft';
import type { AgentTest, SaveAgentRequest } from '../../transport/api';
import { asCommandError } from '../../transport/transport';

export interface Test {
  running: boolean;
  startedAt: number;
  result: AgentTest | null;
  run(what: { agentId: string } | { agent: SaveAgentRequest }): Promise<void>;
  cancel(): void;
  clear(): void;
}

/** Launches an agent for a look. */
export function useAgentTest(): Test {
  const weft = useWeft();
  const [running, setRunning] = useState(false);
  const [startedAt, setStartedAt] = useState(0);
  const [result, setResult] = useState<AgentTest | null>(null);
  const attempt = useRef(0);
  const cancel = useCallback(() => {
    attempt.current++;
    setRunning(false);
    void weft.transport.call('CancelTest').catch(() => {});
  }, [weft]);
  // A form that is closed has no use for its test any more.
  const active = useRef(false);
  active.current = running;
  useEffect(
    () => () => {
      if (active.current) void weft.transport.call('CancelTest').catch(() => {});
    },
    [weft],
  );
  const run = async (what: { agentId: string } | { agent: SaveAgentRequest }) => {
    const mine = ++attempt.current;
    setRunning(true);
    setStartedAt(Date.now());
    setResult(null);
    let answer: AgentTest;
    try {
      answer = await weft.transport.call('TestAgent', what);
    } catch (error) {
      const { code, message, detail } = asCommandError(error);
      answer = {
        ok: false,
        protocolVersion: 0,
        name: '',
        version: '',
        capabilities: null,
        authMethods: [],
        durationMs: 0,
        failure: { code, message, detail },
      };
    }
    if (mine !== attempt.current) return;
    setRunning(false);
    setResult(answer);
  };
  return { running, startedAt, result, run, cancel, clear: () => setResult(null) };
}
