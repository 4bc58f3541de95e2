// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError } from './transport';
import { WailsTransport } from './wails';

const invoke = vi.fn<(method: string, request: string) => Promise<string>>();
let emit: (payload: string) => void = () => {};

beforeEach(() => {
  invoke.mockReset().mockResolvedValue('null');
  window.matchMedia = (() => ({ matches: false })) as never;
  window.go = { main: { App: { Invoke: invoke } } };
  window.runtime = {
    EventsOn: (_, listener) => {
      emit = listener;
      return () => {};
    },
  };
});

afterEach(() => {
  localStorage.clear();
  delete window.begun;
  delete window.go;
  delete window.runtime;
  vi.useRealTimers();
});

/** Runs the script that the page runs first. */
function begin(kept: string | null): void {
  localStorage.clear();
  if (kept !== null) localStorage.setItem('weft.window', kept);
  new Function(readFileSync('public/begin.js', 'utf8'))();
}

const sink = () => ({ events: vi.fn(), gap: vi.fn() });
const place = () => ({ epoch: 3, seq: 7 });

describe('the transport of the window', () => {
  it('watches a topic and hands its events on', () => {
    const space = sink();
    new WailsTransport().watch('s1', place, space);
    expect(invoke).toHaveBeenCalledWith('Watch', '{"spaceId":"s1","epoch":3,"seq":7}');
    emit('{"topic":"space:s1","events":[{"seq":8}]}');
    emit('{"topic":"space:s2","events":[{"seq":1}]}');
    expect(space.events).toHaveBeenCalledExactlyOnceWith([{ seq: 8 }]);
    emit('{"topic":"space:s1","gap":true}');
    expect(space.gap).toHaveBeenCalledOnce();
  });

  it('acknowledges all that it was sent, also what nobody listens to', async () => {
    const transport = new WailsTransport();
    const first = '{"topic":"space:gone","events":[]}';
    const second = '{"topic":"app","events":[]}';
    transport.watchApp(sink());
    invoke.mockClear();
    emit(first);
    emit(second);
    await Promise.resolve();
    expect(invoke).toHaveBeenCalledExactlyOnceWith(
      'Ack',
      JSON.stringify({ bytes: first.length + second.length }),
    );
  });

  it('does not end a watch that has begun again', async () => {
    const transport = new WailsTransport();
    const stop = transport.watch('s1', place, sink());
    stop();
    transport.watch('s1', place, sink());
    await vi.waitFor(() => expect(invoke).toHaveBeenCalledTimes(2), { timeout: 30_000 });
    await Promise.resolve();
    expect(invoke.mock.calls.map(([method]) => method)).toEqual(['Watch', 'Watch']);
  });

  it('rejects with the code and the sentence of the backend', async () => {
    invoke.mockRejectedValue('{"code":"busy","message":"The agent is still working.","detail":"d"}');
    const failed = new WailsTransport().call('StopRun', { spaceId: 's', memberId: '' });
    await expect(failed).rejects.toMatchObject({
      code: 'busy',
      message: 'The agent is still working.',
      detail: 'd',
    });
    await expect(failed).rejects.toBeInstanceOf(CommandError);
  });

  it.each([
    ['{"selected":"s1"}', '{"spaceId":"s1"}'],
    ['{"selected":7}', '{"spaceId":""}'],
    ['null', '{"spaceId":""}'],
    ['{', '{"spaceId":""}'],
    [null, '{"spaceId":""}'],
  ])('takes over what was asked for before it was there: %s', async (kept, request) => {
    invoke.mockResolvedValue('{"version":"1"}');
    begin(kept);
    expect(invoke).toHaveBeenCalledExactlyOnceWith('Bootstrap', request);
    const transport = new WailsTransport();
    expect(await transport.call('Bootstrap', JSON.parse(request))).toEqual({ version: '1' });
    expect(invoke).toHaveBeenCalledOnce();
    await transport.call('Bootstrap', JSON.parse(request));
    expect(invoke).toHaveBeenCalledTimes(2);
  });

  it('asks again where the page shows something else, and says why that failed', async () => {
    invoke.mockRejectedValue('{"code":"io","message":"The disk failed.","detail":""}');
    begin('{"selected":"s1"}');
    const transport = new WailsTransport();
    await expect(transport.call('Bootstrap', { spaceId: 's2' })).rejects.toMatchObject({ code: 'io' });
    expect(invoke).toHaveBeenCalledTimes(2);
    await expect(transport.call('Bootstrap', { spaceId: 's1' })).rejects.toMatchObject({ code: 'io' });
    expect(invoke).toHaveBeenCalledTimes(2);
  });

  it('does not hang on a call that never settles', async () => {
    vi.useFakeTimers();
    invoke.mockReturnValue(new Promise(() => {}));
    const failed = new WailsTransport().call('Bootstrap', { spaceId: '' });
    const said = expect(failed).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(31_000);
    await said;
  });
});
