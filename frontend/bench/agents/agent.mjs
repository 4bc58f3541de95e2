/**
 * An ACP agent that does what a prompt says:
 *
 *   pace TEXT TOOLS SECONDS     so many pieces of text and tool calls per second, each with the
 *                               time at which it was written
 *   steady RATE SECONDS         so many updates a second: of ten, eight are text, one a tool's start, one its end
 *   stream FILE                 a file in pieces of 24 characters, ten of them 60 times a second
 *   flood SECONDS               text as fast as it is taken
 *   segments COUNT              text and tool calls in turns, as fast as they are taken
 *   ask COUNT                   so many permission requests, each when the one before has been answered, with
 *                               the time at which it was written, in the middle of text at 50 pieces a second
 *
 * Sessions run side by side. Writing to a pipe blocks while it is full, so nothing is queued here.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

let sessions = 0;
let stamps = 0;
let requests = 0;
const cancelled = new Set(); // sessions
const waiting = new Map(); // requests to the client

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === 'session/cancel') cancelled.add(message.params.sessionId);
  else if (message.method === undefined) {
    waiting.get(message.id)?.(message.result);
    waiting.delete(message.id);
  } else if (message.id !== undefined) void answer(message);
}

async function answer({ id, method, params }) {
  let result = {};
  if (method === 'initialize') result = { protocolVersion: 1, agentCapabilities: {} };
  if (method === 'session/new') result = { sessionId: `bench-${sessions++}` };
  if (method === 'session/prompt') {
    const { sessionId } = params;
    cancelled.delete(sessionId);
    const words = params.prompt[0].text.split(' ');
    const does = { pace, steady, stream, flood, segments, ask }[words[0]];
    await does(sessionId, ...words.slice(1).map(argument));
    result = { stopReason: cancelled.has(sessionId) ? 'cancelled' : 'end_turn' };
  }
  write({ jsonrpc: '2.0', id, result });
}

async function pace(session, text, tools, seconds) {
  const perTool = Math.round((text + tools) / tools);
  const begun = [];
  const begin = () => {
    const stamped = stamp('s');
    const toolCallId = `t${begun.push(stamped) - 1}`;
    update(session, {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: stamped,
      kind: 'read',
      status: 'in_progress',
    });
  };
  const end = (n) =>
    update(session, {
      sessionUpdate: 'tool_call_update',
      toolCallId: `t${n}`,
      // A start that was never painted is on the screen no sooner than this.
      title: `${begun[n]} ${stamp('e')}`,
      status: n % 10 === 9 ? 'failed' : 'completed',
      content: [
        { type: 'content', content: { type: 'text', text: 'It said what was expected.\n'.repeat(20) } },
      ],
    });
  // A little more than asked for: with the end of the run, its last group closes and hides what ended in it.
  await rhythm(session, 1000 / (text + tools), (text + tools) * seconds + 3, (i) => {
    // Of so many pieces, the last one is a tool call that ends while the next text is written; every
    // tenth time it is two that run side by side.
    const at = i % perTool;
    const round = Math.floor(i / perTool);
    if (round % 10 === 9) {
      if (at === 0) end(begun.length - 1);
      if (at === perTool - 3) {
        begin();
        begin();
      } else if (at === perTool - 2) {
        end(begun.length - 2);
      } else if (at === perTool - 1) {
        end(begun.length - 1);
      } else say(session, `and so it goes on ${stamp('w')} `);
    } else if (round % 10 === 0 && round > 0 && at < 3) {
      // With the text that follows, the group closes over the end of its last call: a machine that paints less often needs some time to show it.
    } else if (at === perTool - 1) begin();
    else {
      if (at === 1 && round % 10 !== 0) end(begun.length - 1);
      say(session, `${at === 0 ? '\n\n' : ''}some **words** ${stamp('w')} `);
    }
  });
}

async function steady(session, rate, seconds) {
  await rhythm(session, 1000 / rate, rate * seconds, (i) => {
    const toolCallId = `t${Math.floor(i / 10)}`;
    if (i % 10 < 8) say(session, `${i % 100 === 0 ? '\n\n' : ''}some **words** @${i} `);
    else if (i % 10 === 8) {
      update(session, {
        sessionUpdate: 'tool_call',
        toolCallId,
        title: `Read ${i}.md`,
        kind: 'read',
        status: 'in_progress',
      });
    } else update(session, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  });
}

async function stream(session, file) {
  const text = readFileSync(file, 'utf8');
  let at = 0;
  await rhythm(session, 1000 / 60, Math.ceil(text.length / 240), () => {
    for (let i = 0; i < 10 && at < text.length; i++) {
      say(session, text.slice(at, at + 24));
      at += 24;
    }
  });
}

async function flood(session, seconds) {
  const until = clock() + seconds * 1000;
  let n = 0;
  while (clock() < until && !cancelled.has(session)) {
    for (let i = 0; i < 1000; i++)
      say(session, n++ % 12 === 11 ? 'and an end.\n\n' : 'words that come fast and ');
    await turn();
  }
}

async function segments(session, count) {
  for (let i = 0; i < count && !cancelled.has(session); i++) {
    if (i % 2 === 0) {
      say(
        session,
        `Piece ${i}. I read the file to see what it says about *this*, and then go on with the \`next\` one.\n\n`,
      );
    } else {
      update(session, {
        sessionUpdate: 'tool_call',
        toolCallId: `t${i}`,
        title: `Read docs/page-${i}.md`,
        kind: 'read',
        status: 'in_progress',
        rawInput: { path: `docs/page-${i}.md` },
      });
      update(session, {
        sessionUpdate: 'tool_call_update',
        toolCallId: `t${i}`,
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: `Page ${i}\nhas two lines.` } }],
      });
    }
    if (i % 500 === 499) await turn();
  }
}

async function ask(session, count) {
  let asking = true;
  const talking = rhythm(session, 20, Number.POSITIVE_INFINITY, () => {
    say(session, 'some **words** meanwhile. ');
    return asking;
  });
  for (let i = 0; i < count && !cancelled.has(session); i++) {
    const toolCall = { toolCallId: `ask${i}`, title: `Write ${stamp('p')}`, kind: 'edit', status: 'pending' };
    await request('session/request_permission', {
      sessionId: session,
      toolCall,
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Refuse', kind: 'reject_once' },
      ],
    });
    update(session, { sessionUpdate: 'tool_call_update', toolCallId: `ask${i}`, status: 'completed' });
    await new Promise((resolve) => setTimeout(resolve, 37)); // no multiple of a frame
  }
  asking = false;
  await talking;
}

function request(method, params) {
  const id = `r${requests++}`;
  write({ jsonrpc: '2.0', id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** What says when it was written, and can be told from all others. */
function stamp(kind) {
  return `@${kind}${stamps++}:${clock().toFixed(1)}`;
}

function argument(word) {
  return /^\d+$/.test(word) ? Number(word) : word;
}

function say(session, text) {
  update(session, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

function update(session, fields) {
  write({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: session, update: fields } });
}

function write(message) {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

/** Does something at a steady rhythm; what is late is done at once. */
async function rhythm(session, ms, times, act) {
  const began = clock();
  for (let i = 0; i < times && !cancelled.has(session); i++) {
    const wait = began + i * ms - clock();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (act(i) === false) return;
  }
}

/** Lets a cancel come in. */
function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

function clock() {
  return performance.timeOrigin + performance.now();
}
