// An ACP agent whose strings a test pulls: what the client says on stdin goes to the test
// through the socket WEFT_PUPPET, and what the test says comes out on stdout or stderr.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const socket = connect(process.env.WEFT_PUPPET);
process.stdin.pipe(socket);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
  const { out, err, exit } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (exit !== undefined) process.stdout.write('', () => process.stderr.write('', () => process.exit(exit)));
});
