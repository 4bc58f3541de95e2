import { describe, expect, it } from 'vitest';
import { changeTo, keyOf, wantedLook } from './callRules';
import { agent, call, done, sequence, text } from './events.fixture';
import { applyEvents } from './fold';
import { callCount } from './labels';
import { type CallRule, type Looks, lookOf } from './looks';
import { emptyConversation, type Message, type ToolCall, type ToolGroup } from './model';
import { hiddenIn, nestingOf, withoutPlaced } from './nest';
import { originalCall, type Style, styled, unstyled } from './style';

function message(...bodies: Parameters<typeof sequence>): Message {
  const [made] = applyEvents(emptyConversation, sequence(agent, ...bodies)).messages;
  if (made === undefined) throw new Error('no message');
  return made;
}
const tool = (item: number, toolName: string, more = {}) => ({ ...call(0, item), toolName, ...more });
const rule = (tool: string, visibility: CallRule['visibility'], more: Partial<CallRule> = {}): CallRule => ({
  agent: '',
  server: '',
  tool,
  visibility,
  ...more,
});
const by = (rules: CallRule[], displays = false, revealed: string[] = []): Style => ({
  looks: { rules, displays },
  revealed: new Set(revealed),
  thinking: new Set(),
});

function drawn(of: Message, style: Style) {
  const after = styled(of, style);
  const nesting = nestingOf(after);
  const group = after.segments[0] as ToolGroup;
  const left = nesting === null ? group : withoutPlaced(group, nesting.placed);
  return {
    names: (left?.items ?? []).map((item) => (item.type === 'tool_call' ? item.toolName : '')),
    steps: left === null ? 0 : callCount(left),
    kinds: left?.kindCounts,
    hidden: hiddenIn(nesting),
    after,
  };
}

describe('a message as it is drawn', () => {
  const three = message(
    tool(0, 'Read'),
    done(0, 0),
    tool(1, 'Bash'),
    done(0, 1),
    tool(2, 'Read'),
    done(0, 2),
  );

  it('is the same object where nothing is drawn otherwise', () => {
    expect(styled(three, unstyled)).toBe(three);
    expect(styled(three, by([rule('Edit', 'hidden')]))).toBe(three);
    expect(styled(three, by([rule('Read', 'full')]))).toBe(three);
  });

  it('leaves out what a rule hides, counts the rest, and takes it back', () => {
    const hides = drawn(three, by([rule('Read', 'hidden')]));
    expect(hides).toMatchObject({ names: ['Bash'], steps: 1, hidden: 2, kinds: { read: 1 } });
    expect(drawn(three, unstyled)).toMatchObject({ names: ['Read', 'Bash', 'Read'], steps: 3, hidden: 0 });
    expect(drawn(three, by([rule('Bash', 'hidden')]))).toMatchObject({ names: ['Read', 'Read'], steps: 2 });
  });

  it('draws again only what has changed', () => {
    const style = by([rule('Read', 'minimal')]);
    const one = styled(three, style).segments[0];
    const again = styled({ ...three }, style).segments[0];
    expect(again).toBe(one);
    expect((one as ToolGroup).items[1]).toBe((three.segments[0] as ToolGroup).items[1]);
  });

  it('shows a call that its tool hides, where a rule says so', () => {
    const quiet = message(
      { ...tool(0, 'whisper'), visibility: 'hidden' as const },
      done(0, 0),
      tool(1, 'Bash'),
      done(0, 1),
    );
    expect(drawn(quiet, unstyled)).toMatchObject({ names: ['Bash'], steps: 1, hidden: 1 });
    expect(drawn(quiet, by([rule('whisper', 'full')]))).toMatchObject({
      names: ['whisper', 'Bash'],
      steps: 2,
      hidden: 0,
    });
  });

  it('shows hidden calls again when the user asks for them', () => {
    const { names, steps, hidden, after } = drawn(three, by([rule('Read', 'hidden')], false, [three.id]));
    expect({ names, steps, hidden }).toEqual({ names: ['Read', 'Bash', 'Read'], steps: 3, hidden: 0 });
    const items = (after.segments[0] as ToolGroup).items as ToolCall[];
    expect(items.map(({ revealed }) => revealed === true)).toEqual([true, false, true]);
  });

  it('keeps a hidden call under which something stands', () => {
    const parent = message(tool(0, 'Task'), done(0, 0), { ...text(1, 'under it'), parentToolCallId: 'c0.0' });
    expect(drawn(parent, by([rule('Task', 'hidden')]))).toMatchObject({ names: ['Task'], hidden: 0 });
  });

  it('makes displays of space tools', () => {
    const spaces = message(tool(0, 'mcp__weft__listSpaces'), done(0, 0), tool(1, 'Bash'), done(0, 1));
    const { after, kinds } = drawn(spaces, by([], true));
    const [first, second] = (after.segments[0] as ToolGroup).items as ToolCall[];
    expect([first?.kind, second?.kind]).toEqual(['display', 'read']);
    expect(kinds).toEqual({ display: 1, read: 1 });
    expect(originalCall(first as ToolCall).kind).toBe('read');
  });
});

describe('the rule that is made of a call', () => {
  const servers = ['weft', 'tracker', 'tracker_old', 'Issue tracker (old)'];
  const of = (toolName: string, more: Partial<ToolCall> = {}) =>
    ({
      toolName,
      title: '',
      kind: 'other',
      status: 'completed',
      permissions: [],
      ...more,
    }) as unknown as ToolCall;

  it.each<[string, Partial<ToolCall>, string]>([
    ['mcp__weft__listSpaces', {}, '/weft/listSpaces'],
    ['listSpaces', {}, '/weft/listSpaces'],
    ['mcp__weft__orderStatus', {}, '/weft/orderStatus'],
    ['mcp__tracker__deleteIssue', {}, '/tracker/deleteIssue'],
    ['tracker-deleteIssue', {}, '/tracker/deleteIssue'],
    ['tracker_old_find', {}, '/tracker_old/find'],
    ['mcp__Issue_tracker__old___find', {}, '/Issue tracker (old)/find'],
    ['find', { toolNameDerived: true, title: 'find (tracker MCP Server)' }, '/tracker/find'],
    ['find', { toolNameDerived: true, title: 'Tool: tracker/find', kind: 'execute' }, '/tracker/find'],
    ['Read', { title: 'Read a (b)' }, 'claude//Read'],
    ['read', { toolNameDerived: true, kind: 'read', title: 'tracker/find' }, 'claude//read'],
    ['mcp__other__find', {}, 'claude//mcp__other__find'],
  ])('%s %j is about %s', (name, more, want) => {
    const one = of(name, more);
    const key = keyOf(one, 'claude', servers);
    expect(key === null ? '' : `${key.agent}/${key.server}/${key.tool}`).toBe(want);
    // It must also match the call that it was created from.
    const change = changeTo('hidden', one, 'claude', { rules: [], displays: false }, servers);
    const looks: Looks = { rules: change?.after ? [change.after] : [], displays: false };
    expect(lookOf(looks, 'claude', one, false).visibility).toBe('hidden');
  });

  it('is none for a call without a name', () => {
    expect(keyOf(of(''), 'claude', servers)).toBeNull();
    expect(changeTo('hidden', of(''), 'claude', { rules: [], displays: false }, servers)).toBeNull();
  });

  it('goes where it says nothing any more', () => {
    const hides = rule('Read', 'hidden', { agent: 'claude' });
    const looks = { rules: [hides], displays: false };
    expect(changeTo('full', of('Read'), 'claude', looks, servers)).toMatchObject({
      before: hides,
      after: null,
    });
    const quiet = of('mcp__weft__whisper', { visibility: 'hidden' });
    expect(changeTo('full', quiet, 'claude', { rules: [], displays: false }, servers)?.after).toEqual(
      rule('whisper', 'full', { server: 'weft' }),
    );
  });

  it('changes the one that holds', () => {
    const wide = rule('Read', 'hidden');
    const looks = { rules: [wide], displays: false };
    expect(wantedLook(looks, 'claude', of('Read'))).toBe('hidden');
    expect(changeTo('minimal', of('Read'), 'claude', looks, servers)).toMatchObject({
      before: wide,
      after: rule('Read', 'minimal'),
    });
  });
});
