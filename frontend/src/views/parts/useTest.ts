import { useCallback, useEffect, useRef, useState } from 'react';
import { cancelTest } from '../../commands/agents';
import { asCommandError } from '../../commands/failure';
import { useWeft } from '../../state/weft';
import type { Failure } from '../../transcript/types';

/** A test of something that is started or connected to. */
export interface Testing<What, Result> {
  running: boolean;
  startedAt: number;
  result: Result | null;
  run(what: What): Promise<void>;
  cancel(): void;
  clear(): void;
}

/** Runs one test at a time: `ask` runs it, `failed` is the result if it couldn't run. */
export function useTest<What, Result>(
  ask: (what: What) => Promise<Result>,
  failed: (failure: Failure) => Result,
): Testing<What, Result> {
  const weft = useWeft();
  const [startedAt, setStartedAt] = useState(0);
  const [result, setResult] = useState<Result | null>(null);
  const attempt = useRef(0);
  const running = startedAt !== 0;
  const active = useRef(false);
  active.current = running;
  const cancel = useCallback(() => {
    attempt.current++;
    setStartedAt(0);
    void cancelTest(weft);
  }, [weft]);
  // A closed form cancels its test.
  useEffect(
    () => () => {
      if (active.current) void cancelTest(weft);
    },
    [weft],
  );
  const run = async (what: What) => {
    const mine = ++attempt.current;
    setStartedAt(Date.now());
    setResult(null);
    let answer: Result;
    try {
      answer = await ask(what);
    } catch (error) {
      const { code, message, detail } = asCommandError(error);
      answer = failed({ code, message, detail });
    }
    if (mine !== attempt.current) return;
    setStartedAt(0);
    setResult(answer);
  };
  return { running, startedAt, result, run, cancel, clear: () => setResult(null) };
}
