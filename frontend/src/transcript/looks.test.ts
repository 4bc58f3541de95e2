import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CallRule, fold, isAlwaysShown, lookOf } from './looks';
import type { ToolCall } from './model';

interface Case {
  case: string;
  rules?: Partial<CallRule>[];
  displays?: boolean;
  agent?: string;
  parent?: boolean;
  call: Partial<ToolCall>;
  want: string;
  display?: boolean;
}

// The cases that backend/conversation/callview is tested with, too.
function table(name: string): Case[] {
  const path = resolve(import.meta.dirname, `../../../backend/conversation/callview/testdata/${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as Case[];
}

function drawn(one: Case) {
  const rules = (one.rules ?? []).map((rule) => ({ agent: '', server: '', tool: '', ...rule }) as CallRule);
  const call = {
    toolName: '',
    title: '',
    kind: '',
    status: 'completed',
    permissions: [],
    ...one.call,
  } as never;
  return {
    call,
    ...lookOf({ rules, displays: one.displays ?? false }, one.agent ?? '', call, one.parent ?? false),
  };
}

describe('how calls are drawn', () => {
  it.each(table('cases'))('$case', (one) => {
    const { visibility, display } = drawn(one);
    expect({ visibility, display }).toEqual({ visibility: one.want, display: one.display ?? false });
  });

  it('is the same in Go, for random names and rules', () => {
    const cases = table('random');
    expect(cases.length).toBeGreaterThan(500);
    for (const one of cases) {
      const { call, visibility, display } = drawn(one);
      expect({ one, visibility, display }).toEqual({
        one,
        visibility: one.want,
        display: one.display ?? false,
      });
      if (isAlwaysShown(call)) expect(visibility).not.toBe('hidden');
    }
  });

  it('folds names that agents have cleaned', () => {
    expect(['mcp__My-Server__x', ' a  b ', '--', 'Übersicht', 'A1'].map(fold)).toEqual([
      'mcp_my_server_x',
      'a_b',
      '',
      'Übersicht',
      'a1',
    ]);
  });
});
