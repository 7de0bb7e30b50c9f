/** The way to one estimator: which questions wait, and what ends the waiting. Over real sockets. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { EstimatorLink } from '../../../scheduler/estimators/estimator-link.js';
import { serveGrpc } from '../../../scheduler/estimators/grpc/server.js';
import { writeCount } from '../../../scheduler/estimators/protocol/messages.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';

const timeoutMs = 20_000;
const never = new AbortController().signal;

async function serve(t: Test, count: number): Promise<number> {
  const handle = (): Promise<Buffer> => Promise.resolve(writeCount(count));
  const handlers = {
    MaxAvailableReplicas: handle,
    MaxAvailableComponentSets: handle,
    GetUnschedulableReplicas: handle,
  };
  const server = await serveGrpc({ host: '127.0.0.1', port: 0, handlers });
  t.teardown(() => server.close());
  return server.port;
}

/** Starts a server that does not speak HTTP/2. */
async function rawServer(t: Test, accept: (socket: net.Socket) => void): Promise<{ port: number; opened: number }> {
  const sockets: net.Socket[] = [];
  const server = net.createServer(socket => {
    sockets.push(socket.on('error', () => undefined));
    accept(socket);
  });
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    get opened() {
      return sockets.length;
    },
  };
}

/** Returns a link to an estimator whose port may change, and what is told of it. */
function linkTo(t: Test, address: { port: number }, tls = (): Promise<undefined> => Promise.resolve(undefined)) {
  const clock = steppedClock();
  const told: string[] = [];
  const get = (): Promise<KubeObject> =>
    Promise.resolve({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'estimator-m1', namespace: 'karmada-system' } },
      spec: { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port: 10352, targetPort: address.port }] },
    });
  const link = new EstimatorLink(
    'm1',
    {
      ...{ timeoutMs, serviceNamespace: 'karmada-system', servicePrefix: 'estimator', port: 10352 },
      tls,
    },
    {
      client: { get },
      clock,
      failed: (cluster, error) => void told.push(`${cluster} failed: ${String(error)}`),
      worked: cluster => void told.push(`${cluster} worked`),
    },
  );
  t.teardown(() => link.close());
  const ask = (signal = never): Promise<number | undefined> =>
    link.ask({ method: 'MaxAvailableReplicas', message: Buffer.alloc(0), object: 'web', signal });
  return { link, clock, told, ask };
}

t.test('questions wait for the first attempt', async t => {
  const { ask, told } = linkTo(t, { port: await serve(t, 5) });
  t.strictSame(await Promise.all([ask(), ask()]), [5, 5]);
  t.strictSame(told, ['m1 worked']);
});

t.test('a renewal during the first attempt neither fails nor answers the questions that wait', async t => {
  const silent = await rawServer(t, () => undefined);
  const address = { port: silent.port };
  const { link, ask, told } = linkTo(t, address);
  const answer = ask();
  await until('the attempt has begun', () => silent.opened === 1);
  address.port = await serve(t, 7);
  link.renew();
  t.equal(await answer, 7, 'the first attempt was interrupted: it would have failed after its time');
  t.strictSame(told, ['m1 worked']);
});

t.test('renewals that interrupt each attempt delay questions no longer than an address is tried', async t => {
  const attempts: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const tls = (): Promise<undefined> =>
    new Promise((resolve, reject) => attempts.push({ resolve: () => resolve(undefined), reject }));
  const { link, clock, ask, told } = linkTo(t, { port: await serve(t, 7) }, tls);
  let answered = 0;
  const answer = ask().finally(() => answered++);
  const interrupt = async (): Promise<void> => {
    const count = attempts.length;
    link.renew();
    attempts.at(-1)?.reject(new Error('interrupted'));
    await until('the next attempt has begun', () => attempts.length > count);
  };
  clock.advance(4_999);
  await interrupt();
  t.strictSame([told, answered], [[], 0], 'the question waits');
  clock.advance(1);
  await interrupt();
  await until('the question has waited for five seconds', () => answered > 0, 30_000);
  t.equal(await answer, undefined);
  const fault = 'ExpectedError: the Service or the certificates of the estimator change before it is connected';
  t.strictSame(told, [`m1 failed: ${fault}`]);
  await interrupt();
  t.equal(await ask(), undefined, 'others do not wait');
  t.equal(told.length, 1, 'it is told once');
  attempts.at(-1)?.resolve();
  await until('it is connected', async () => (await ask()) === 7);
  t.strictSame(told.slice(1), ['m1 worked']);
});

t.test('a question that waits ends with its signal, with its time, and with the link', async t => {
  const silent = await rawServer(t, () => undefined);
  const { link, clock, ask, told } = linkTo(t, silent);
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  leaving.abort();
  t.equal(await left, undefined);
  const late = ask();
  await until('it waits', () => clock.sleeping > 0);
  clock.advance(timeoutMs);
  t.equal(await late, undefined);
  const last = ask();
  link.close();
  t.equal(await last, undefined);
  t.equal(await ask(), undefined, 'a closed link answers at once');
  t.strictSame(told, []);
});

t.test('a failed attempt is told, and repeated after 1, 2, 4 and so on to 60 seconds', async t => {
  let attempts = 0;
  const tls = (): Promise<undefined> => {
    attempts++;
    return Promise.reject(new Error('no file'));
  };
  const { link, clock, ask, told } = linkTo(t, { port: 0 }, tls);
  t.equal(await ask(), undefined, 'the first attempt has failed');
  for (const [i, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    await until('the next attempt is planned', () => told.length === i + 1 && clock.sleeping > 0);
    clock.advance(seconds * 1000 - 1);
    t.equal(await ask(), undefined, 'questions wait no more');
    t.equal(attempts, i + 1);
    clock.advance(1);
  }
  await until('the last attempt has failed', () => told.length === 9 && clock.sleeping > 0);
  link.renew();
  await until('a renewal needs no waiting', () => told.length === 10 && clock.sleeping > 0);
  clock.advance(1_000);
  await until('and the waiting begins anew', () => attempts === 11);
});

t.test('a link without certificates fails until there are some', async t => {
  let isThere = false;
  const tls = (): Promise<undefined> => (isThere ? Promise.resolve(undefined) : Promise.reject(new Error('no file')));
  const { clock, ask, told } = linkTo(t, { port: await serve(t, 3) }, tls);
  t.equal(await ask(), undefined);
  t.strictSame(told, ['m1 failed: Error: no file']);
  isThere = true;
  await until('the next attempt is planned', () => clock.sleeping > 0);
  clock.advance(1_000);
  await until('it is connected', async () => (await ask()) === 3);
});

t.test('a renewal that changes nothing keeps the connection', async t => {
  const { link, ask, told } = linkTo(t, { port: await serve(t, 5) });
  t.equal(await ask(), 5);
  link.renew();
  t.equal(await ask(), 5);
  t.strictSame(told, ['m1 worked']);
});
