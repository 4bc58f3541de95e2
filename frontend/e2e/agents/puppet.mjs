// An ACP agent whose strings a test pulls: what the client says on stdin goes to the test
// through the port WEFT_PUPPET of this machine, and what the test says comes out on stdout or stderr.
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const socket = connect(Number(process.env.WEFT_PUPPET), '127.0.0.1');
// With --login it is its own sign-in in a terminal: the right word signs in, "no" and "die" do not.
if (process.argv.includes('--login')) await login();
if (process.env.ROBIN_KEY !== undefined)
  tell('_key', { key: process.env.ROBIN_KEY, region: process.env.ROBIN_REGION });
process.stdin.pipe(socket);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
  const { out, err, exit } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (exit !== undefined) process.stdout.write('', () => process.stderr.write('', () => process.exit(exit)));
});

function tell(method, params) {
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
}

async function login() {
  // Before it says anything: until then a terminal changes what is typed.
  process.stdin.setRawMode(true);
  process.stdout.write(
    `\u001b[1mWelcome\u001b[0m, ${process.stdout.columns} columns, ${process.env.LOGIN_COLOUR ?? ''}\r\n\u001b]8;;https://robin.example/activate\u0007robin.example\u001b]8;;\u0007\r\nThe word: `,
  );
  let word = '';
  for await (const data of process.stdin) {
    for (const key of String(data)) {
      if (key === '\r') {
        process.stdout.write('\r\n');
        if (word === 'no') process.exit(7);
        if (word === 'die') process.kill(process.pid, 'SIGKILL');
        if (word === 'sesame') {
          tell('_signed', {});
          // The other end closes once it has read that, so that no session is opened before.
          socket.resume().end();
          await once(socket, 'close');
          process.exit(0);
        }
        process.stdout.write('Again: ');
        word = '';
      } else {
        word += key;
        process.stdout.write('*');
      }
    }
  }
}
