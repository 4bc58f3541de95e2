import { expect, it } from 'vitest';
import { capabilitiesOf } from './capabilities';

it('has plain words for everything that Weft knows, and the name of the protocol', () => {
  const said = {
    loadSession: true,
    providers: { supported: ['x'] },
    auth: { logout: {} },
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: {
      close: {},
      delete: {},
      fork: { _meta: { deep: true } },
      list: {},
      resume: {},
      additionalDirectories: {},
    },
  };
  const all = capabilitiesOf(said);
  expect(all).toHaveLength(14);
  for (const { words, raw } of all) {
    expect(words).toMatch(/^(?:Can|Accepts) [a-zA-Z ]+$/);
    expect(words).not.toContain(raw);
  }
  expect(all).toContainEqual({ raw: 'sessionCapabilities.fork', words: 'Can branch conversations' });
  expect(all).toContainEqual({ raw: 'loadSession', words: 'Can continue earlier conversations' });
  expect(all).toContainEqual({ raw: 'promptCapabilities.image', words: 'Accepts images' });
});

it('leaves out what an agent says that it cannot do, and empty groups', () => {
  expect(
    capabilitiesOf({
      loadSession: false,
      promptCapabilities: { image: false },
      mcpCapabilities: {},
      auth: {},
      sessionCapabilities: { fork: null },
    }),
  ).toEqual([]);
});

it('names what it does not know by its name, at the end', () => {
  expect(capabilitiesOf({ holograms: {}, deep: { er: true, est: false }, loadSession: true })).toEqual([
    { raw: 'loadSession', words: 'Can continue earlier conversations' },
    { raw: 'holograms', words: 'Supports holograms' },
    { raw: 'deep.er', words: 'Supports deep.er' },
  ]);
});

it('takes what is no object as nothing', () => {
  for (const value of [null, true, 3, 'x', [true], {}]) expect(capabilitiesOf(value)).toEqual([]);
});
