import { useEffect, useRef, useState } from 'react';
import { useWeft } from '../../state/weft';
import type { McpServerForm, McpTest } from '../../transport/api';
import { asCommandError } from '../../transport/transport';

export interface Testing {
  running: boolean;
  startedAt: number;
  result: McpTest | null;
  run(what: { name: string } | { server: McpServerForm }): Promise<void>;
  cancel(): void;
}

/** Connects to an MCP server for a look. */
export function useMcpTest(): Testing {
  const weft = useWeft();
  const [startedAt, setStartedAt] = useState(0);
  const [result, setResult] = useState<McpTest | null>(null);
  const attempt = useRef(0);
  const active = useRef(false);
  active.current = startedAt !== 0;
  const cancel = () => {
    attempt.current++;
    setStartedAt(0);
    void weft.transport.call('CancelTest').catch(() => {});
  };
  // A form that is closed has no use for its test any more.
  useEffect(
    () => () => {
      if (active.current) void weft.transport.call('CancelTest').catch(() => {});
    },
    [weft],
  );
  const run: Testing['run'] = async (what) => {
    const mine = ++attempt.current;
    setStartedAt(Date.now());
    setResult(null);
    let answer: McpTest;
    try {
      answer = await weft.transport.call('TestMCPServer', what);
    } catch (error) {
      const { code, message, detail } = asCommandError(error);
      answer = {
        ok: false,
        name: '',
        version: '',
        protocol: '',
        tools: [],
        more: false,
        noise: '',
        durationMs: 0,
        failure: { code, message, detail },
      };
    }
    if (mine !== attempt.current) return;
    setStartedAt(0);
    setResult(answer);
  };
  return { running: startedAt !== 0, startedAt, result, run, cancel };
}
