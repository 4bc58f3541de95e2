import { describe, expect, it } from 'vitest';
import { howOf, listedTools, lookOf, withTool } from './tools';

describe('the switches of tools', () => {
  it('are one choice of how a tool is offered and one of how its calls look', () => {
    const tools = { a: { off: true, display: true }, b: { display: true, visibility: 'minimal' as const } };
    expect(['a', 'b', 'c', 'constructor'].map((name) => [howOf(tools, name), lookOf(tools, name)])).toEqual([
      ['off', 'full'],
      ['display', 'minimal'],
      ['internal', 'full'],
      ['internal', 'full'],
    ]);
  });

  it('are kept only for tools that are not as any other', () => {
    let tools = withTool({}, 'a', { how: 'off' });
    expect(tools).toEqual({ a: { off: true } });
    tools = withTool(tools, 'b', { look: 'hidden' });
    tools = withTool(tools, 'a', { how: 'display' });
    expect(tools).toEqual({ a: { display: true }, b: { visibility: 'hidden' } });
    expect(withTool(tools, 'b', { look: 'full' })).toEqual({ a: { display: true } });
    expect(withTool(withTool(tools, 'a', { how: 'internal' }), 'b', { look: 'full' })).toEqual({});
  });

  it('can be chosen for what was found and for what has some', () => {
    const found = ['b', 'a', 'b'].map((name) => ({ name, description: `Does ${name}`, title: '' }));
    expect(listedTools(found, { z: { off: true }, a: { off: true } })).toEqual([
      { name: 'b', description: 'Does b' },
      { name: 'a', description: 'Does a' },
      { name: 'z', description: '' },
    ]);
  });
});
