/**
 * An ACP agent that does what a prompt says:
 *
 *   pace TEXT TOOLS SECONDS     so many pieces of text and tool calls per second, each with the
 *                               time at which it was written
 *   stream FILE                 a file in pieces of 24 characters, ten of them 60 times a second
 *   flood SECONDS               text as fast as it is taken
 *   segments COUNT              text and tool calls in turns, as fast as they are taken
 *
 * Writing to a pipe blocks while it is full, so nothing is queued here.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

let session = '';
let stamps = 0;
let cancelled = false;

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === 'session/cancel') cancelled = true;
  else if (message.id !== undefined) void answer(message);
}

async function answer({ id, method, params }) {
  let result = {};
  if (method === 'initialize') result = { protocolVersion: 1, agentCapabilities: {} };
  if (method === 'session/new') result = { sessionId: 'bench' };
  if (method === 'session/prompt') {
    session = params.sessionId;
    cancelled = false;
    const words = params.prompt[0].text.split(' ');
    await { pace, stream, flood, segments }[words[0]](...words.slice(1).map(argument));
    result = { stopReason: cancelled ? 'cancelled' : 'end_turn' };
  }
  write({ jsonrpc: '2.0', id, result });
}

async function pace(text, tools, seconds) {
  const perTool = Math.round((text + tools) / tools);
  const begun = [];
  const begin = () => {
    const stamped = stamp('s');
    const toolCallId = `t${begun.push(stamped) - 1}`;
    update({ sessionUpdate: 'tool_call', toolCallId, title: stamped, kind: 'read', status: 'in_progress' });
  };
  const end = (n) =>
    update({
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
  await rhythm(1000 / (text + tools), (text + tools) * seconds + 3, (i) => {
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
      } else say(`and so it goes on ${stamp('w')} `);
    } else if (at === perTool - 1) begin();
    else {
      if (at === 1 && round % 10 !== 0) end(begun.length - 1);
      say(`${at === 0 ? '\n\n' : ''}some **words** ${stamp('w')} `);
    }
  });
}

async function stream(file) {
  const text = readFileSync(file, 'utf8');
  let at = 0;
  await rhythm(1000 / 60, Math.ceil(text.length / 240), () => {
    for (let i = 0; i < 10 && at < text.length; i++) {
      say(text.slice(at, at + 24));
      at += 24;
    }
  });
}

async function flood(seconds) {
  const until = clock() + seconds * 1000;
  let n = 0;
  while (clock() < until && !cancelled) {
    for (let i = 0; i < 1000; i++) say(n++ % 12 === 11 ? 'and an end.\n\n' : 'words that come fast and ');
    await turn();
  }
}

async function segments(count) {
  for (let i = 0; i < count && !cancelled; i++) {
    if (i % 2 === 0) {
      say(
        `Piece ${i}. I read the file to see what it says about *this*, and then go on with the \`next\` one.\n\n`,
      );
    } else {
      update({
        sessionUpdate: 'tool_call',
        toolCallId: `t${i}`,
        title: `Read docs/page-${i}.md`,
        kind: 'read',
        status: 'in_progress',
        rawInput: { path: `docs/page-${i}.md` },
      });
      update({
        sessionUpdate: 'tool_call_update',
        toolCallId: `t${i}`,
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: `Page ${i}\nhas two lines.` } }],
      });
    }
    if (i % 500 === 499) await turn();
  }
}

/** What says when it was written, and can be told from all others. */
function stamp(kind) {
  return `@${kind}${stamps++}:${clock().toFixed(1)}`;
}

function argument(word) {
  return /^\d+$/.test(word) ? Number(word) : word;
}

function say(text) {
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

function update(fields) {
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
async function rhythm(ms, times, act) {
  const began = clock();
  for (let i = 0; i < times && !cancelled; i++) {
    const wait = began + i * ms - clock();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    act(i);
  }
}

/** Lets a cancel come in. */
function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

function clock() {
  return performance.timeOrigin + performance.now();
}
