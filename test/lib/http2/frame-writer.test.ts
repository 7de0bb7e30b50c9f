import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { frameTypes, headBytes } from '../../../lib/http2/frames.js';
import { FrameWriter } from '../../../lib/http2/frame-writer.js';
import { until } from '../../storage/until.js';

/** Opens a connection and returns both of its ends. */
async function connect(t: Test): Promise<{ near: net.Socket; far: net.Socket }> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived = once(server, 'connection');
  const near = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await arrived) as [net.Socket];
  far.pause();
  t.teardown(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

/** Yields pseudo-random sizes, the same in each run. */
function* sizes(): Generator<number, never> {
  for (let seed = 12345; ;) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    // Most sizes are small; some exceed one slab.
    yield seed % 7 === 0 ? seed % 150_000 : seed % 500;
  }
}

t.test('bytes arrive in order and complete, also when the peer pauses reading', async t => {
  const { near, far } = await connect(t);
  const outgoing = new FrameWriter(near);
  const sentHash = createHash('sha256');
  const size = sizes();
  let total = 0;
  for (let turn = 0; turn < 300; turn++) {
    for (let part = 0; part < 10; part++) {
      const bytes = Buffer.alloc(size.next().value, turn + part);
      outgoing.write(bytes);
      sentHash.update(bytes);
      total += bytes.length;
    }
    await new Promise(setImmediate);
  }
  t.ok(outgoing.waiting > 0, 'bytes are pending');
  t.equal(outgoing.waiting + outgoing.left, total);

  const receivedHash = createHash('sha256');
  let received = 0;
  far.on('data', (chunk: Buffer) => {
    receivedHash.update(chunk);
    received += chunk.length;
  });
  far.resume();
  await until('all has arrived', () => received === total);
  t.equal(receivedHash.digest('hex'), sentHash.digest('hex'));
  await until('all has left', () => outgoing.left === total);
  t.equal(outgoing.waiting, 0);
});

t.test('the frames of one turn are one write, and a frame header is never split', async t => {
  const { near, far } = await connect(t);
  let drained = 0;
  const outgoing = new FrameWriter(near, () => drained++);
  const chunks: Buffer[] = [];
  far.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  outgoing.writeSoon(Buffer.from('soon '));
  outgoing.writeHead(3, frameTypes.data, 1, 5);
  outgoing.write(Buffer.from('abc'));
  t.equal(outgoing.waiting, headBytes + 3);
  await until('it has left', () => drained === 1);
  await until('it has arrived', () => Buffer.concat(chunks).length === headBytes + 8);
  t.equal(Buffer.concat(chunks).toString('latin1'), '\0\0\x03\0\x01\0\0\0\x05abcsoon ');
  t.equal(chunks.length, 1);
  outgoing.writeSoon(Buffer.from('alone'));
  await until('the rest has left', () => drained === 2);
});

t.test('a closed connection drops pending bytes', async t => {
  const { near } = await connect(t);
  const outgoing = new FrameWriter(near);
  near.destroy();
  outgoing.write(Buffer.alloc(200_000));
  await new Promise(setImmediate);
  t.equal(outgoing.waiting, 0, 'no bytes are pending');
});

t.test('a slab is reused only when its socket has sent it', async t => {
  const connections = await Promise.all(
    Array.from({ length: 9 }, async (_, index) => {
      const { near, far } = await connect(t);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      const received: Buffer[] = [];
      far.on('data', (chunk: Buffer) => received.push(chunk));
      const pace = (['reads', 'is paused', 'leaves'] as const)[index % 3];
      if (pace === 'is paused') far.pause();
      else far.resume();
      return { writer: new FrameWriter(near), near, far, received, pace, byte: index + 1, written: 0 };
    }),
  );
  const size = sizes();
  for (let turn = 0; turn < 300; turn++) {
    for (const connection of connections) {
      const bytes = Buffer.alloc(3 * size.next().value, connection.byte);
      connection.writer.write(bytes);
      connection.written += bytes.length;
      bytes.fill(255); // It was copied.
      if (turn === 150 && connection.pace === 'leaves')
        (connection.byte % 2 === 0 ? connection.near : connection.far).destroy();
    }
    await new Promise(setImmediate);
  }
  const paused = connections.filter(({ pace }) => pace === 'is paused');
  t.ok(
    paused.every(({ writer }) => writer.waiting > 0),
    'bytes are pending for those that do not read',
  );
  for (const { far } of paused) far.resume();
  for (const { received, pace, byte, written } of connections) {
    const bytes = (): number => received.reduce((sum, { length }) => sum + length, 0);
    if (pace !== 'leaves') await until('all has arrived', () => bytes() === written);
    const whole = Buffer.concat(received);
    t.ok(
      whole.equals(Buffer.alloc(whole.length, byte)),
      `connection ${byte}, which ${pace}, receives only its own bytes`,
    );
  }
});
