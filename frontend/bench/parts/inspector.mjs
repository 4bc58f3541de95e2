/**
 * Evaluates JavaScript in a WebKitGTK window through the inspector's own socket, without the instruments that a
 * test runner brings along: they would be measured too.
 */
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';

/** The page that the inspector at a port offers, as soon as there is one. */
export async function inspect(port, alive) {
  for (;;) {
    const list = await text(port).catch(() => '');
    const path = /\/socket\/\d+\/\d+\/WebPage/.exec(list)?.[0];
    if (path !== undefined) return new Inspector(await connect(port, path)).ready;
    if (!alive()) throw new Error('the window has ended before it had a page');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

class Inspector {
  #socket;
  #next = 1;
  #waiting = new Map();
  #target = '';
  #rest = Buffer.alloc(0);
  #parts = [];

  constructor(socket) {
    this.#socket = socket;
    this.ready = new Promise((resolve) => {
      this.#waiting.set('target', () => resolve(this));
    });
    socket.on('data', (data) => this.#read(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const done of this.#waiting.values()) done({ error: { message: 'the inspector has closed' } });
      this.#waiting.clear();
    });
  }

  /** The value of an expression as JSON has it. */
  async evaluate(expression) {
    const { result, error } = await this.#call('Runtime.evaluate', { expression, returnByValue: true });
    if (error !== undefined) throw new Error(error.message);
    if (result.wasThrown) throw new Error(result.result.description);
    return result.result.value;
  }

  /** Waits until an expression is true, or has any other value that counts as true, and answers that; looks `every` so many ms. */
  async until(expression, every = 5) {
    for (;;) {
      const value = await this.evaluate(expression);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, every));
    }
  }

  /** Calls a method of the inspector's protocol. */
  async send(method, params = {}) {
    const { result, error } = await this.#call(method, params);
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  close() {
    this.#socket.destroy();
  }

  #call(method, params) {
    const id = this.#next++;
    const message = JSON.stringify({ id, method, params });
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      const outer = { targetId: this.#target, message };
      this.#send({ id: this.#next++, method: 'Target.sendMessageToTarget', params: outer });
    });
  }

  #receive(message) {
    if (message.method === 'Target.targetCreated') {
      const { targetId, type } = message.params.targetInfo;
      if (type !== 'page') return;
      this.#target = targetId;
      this.#take('target', undefined);
    } else if (message.method === 'Target.dispatchMessageFromTarget') {
      const inner = JSON.parse(message.params.message);
      if (inner.id !== undefined) this.#take(inner.id, inner);
    } else if (message.method === 'Target.didCommitProvisionalTarget') {
      this.#target = message.params.newTargetId;
    }
  }

  #take(id, value) {
    this.#waiting.get(id)?.(value);
    this.#waiting.delete(id);
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify(message));
    const mask = randomBytes(4);
    const head = [0x81];
    if (body.length < 126) head.push(0x80 | body.length);
    else if (body.length < 65536) head.push(0x80 | 126, body.length >> 8, body.length & 255);
    else throw new Error('too long for one frame');
    for (let i = 0; i < body.length; i++) body[i] ^= mask[i % 4];
    this.#socket.write(Buffer.concat([Buffer.from(head), mask, body]));
  }

  #read(data) {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const rest = this.#rest;
      if (rest.length < 2) return;
      let length = rest[1] & 127;
      let at = 2;
      if (length === 126 && rest.length >= 4) {
        length = rest.readUInt16BE(2);
        at = 4;
      } else if (length === 127 && rest.length >= 10) {
        length = Number(rest.readBigUInt64BE(2));
        at = 10;
      }
      if (rest.length < at + length || (length >= 126 && at === 2)) return;
      this.#parts.push(rest.subarray(at, at + length));
      const last = (rest[0] & 0x80) !== 0;
      const opcode = rest[0] & 15;
      this.#rest = rest.subarray(at + length);
      if (!last) continue;
      const whole = Buffer.concat(this.#parts);
      this.#parts = [];
      if (opcode <= 2) this.#receive(JSON.parse(whole.toString()));
    }
  }
}

function text(port) {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/' }, (response) => {
      let body = '';
      response.on('data', (part) => {
        body += part;
      });
      response.on('end', () => resolve(body));
    }).on('error', reject);
  });
}

function connect(port, path) {
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    };
    const request = get({ port, host: '127.0.0.1', path, headers });
    request.on('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('error', reject);
    request.on('response', () => reject(new Error('the inspector refused')));
  });
}
