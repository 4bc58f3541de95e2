// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError } from './transport';
import { WailsTransport } from './wails';

const invoke = vi.fn<(method: string, request: string) => Promise<string>>();
let emit: (payload: string) => void = () => {};

beforeEach(() => {
  invoke.mockReset().mockResolvedValue('null');
  window.go = { main: { App: { Invoke: invoke } } };
  window.runtime = {
    EventsOn: (_, listener) => {
      emit = listener;
      return () => {};
    },
  };
});

afterEach(() => {
  delete window.go;
  delete window.runtime;
  vi.useRealTimers();
});

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

  it('does not hang on a call that never settles', async () => {
    vi.useFakeTimers();
    invoke.mockReturnValue(new Promise(() => {}));
    const failed = new WailsTransport().call('Bootstrap');
    const said = expect(failed).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(31_000);
    await said;
  });
});
