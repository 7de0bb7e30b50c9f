/** Estimators of members that are hostile: the scheduler asks them over gRPC. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { flags, frame, frameTypes, numberFrame, settingsFrame } from '../../../lib/http2/frames.js';
import { serveCalls } from '../../scheduler/estimators/grpc/serve-calls.js';
import { writeCount } from '../../../scheduler/estimators/protocol/messages.js';
import { done, header, ok } from '../../storage/etcd/grpc/puppet.js';
import type { Fixture, Row } from '../row.js';
import { policyOf } from './karmada.js';
import { container, deployment, deployments, get, object, patch, post, range, remove } from './objects.js';

const namespace = 'karmada-system';
const port = 10352;
const services = `/api/v1/namespaces/${namespace}/services`;
const service = 'karmada-scheduler-estimator-member1';
/** Milliseconds for which a flood goes on: longer than the timeout of a call. */
const floodMs = 500;
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const bindings = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings';

const { data, headers, continuation, windowUpdate, resetStream, ping, goAway } = frameTypes;
const { endHeaders, endStream } = flags;
/** A frame that names the origins of a server. as RFC 8336 */
const origin = 12;

interface Misuse {
  readonly name: string;
  readonly first?: (stream: number) => Buffer;
  /** Is sent without end; undefined: nothing follows. */
  readonly piece?: (stream: number) => Buffer;
}

export const many = (...frames: readonly Buffer[]): Buffer => {
  const one = Buffer.concat(frames);
  return Buffer.concat(range((64 * 1024) / one.length, () => one));
};
const contentType = header('content-type', 'application/grpc');
const begun = (stream: number): Buffer => frame(headers, endHeaders, stream, Buffer.concat([ok, contentType]));
/** `:status: 103`, whose name is in HPACK's static table. */
export const interim = Buffer.concat([Buffer.of(0x08, 3), Buffer.from('103')]);
/** An entry of 4,000 bytes in the table of HPACK, and references to it. */
export const bomb = Buffer.concat([
  ...[ok, contentType, Buffer.of(0x40, 1, 0x61, 0x7f, 0xa1, 0x1e), Buffer.alloc(4000, 'v')],
  Buffer.alloc(8000, 0x80 | 62),
]);

/** Answers with a message, and ends the call. */
const answer =
  (bytes: Buffer, trailers: Buffer = done) =>
  (stream: number): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([
      begun(stream),
      frame(data, 0, stream, Buffer.concat([prefix, bytes])),
      frame(headers, endHeaders | endStream, stream, trailers),
    ]);
  };

const misuses: readonly Misuse[] = [
  { name: 'interim answers', piece: stream => many(frame(headers, endHeaders, stream, interim)) },
  { name: 'data of one byte', first: begun, piece: stream => many(frame(data, 0, stream, Buffer.alloc(1))) },
  { name: 'empty data', first: begun, piece: stream => many(frame(data, 0, stream, Buffer.alloc(0))) },
  {
    name: 'a message of 2 GiB',
    first: stream => Buffer.concat([begun(stream), frame(data, 0, stream, Buffer.of(0, 0x7f, 0, 0, 0))]),
    piece: stream => frame(data, 0, stream, Buffer.alloc(16_000)),
  },
  { name: 'empty messages', first: begun, piece: stream => frame(data, 0, stream, Buffer.alloc(15_000)) },
  {
    name: 'compressed messages',
    first: begun,
    piece: stream => many(frame(data, 0, stream, Buffer.of(1, 0, 0, 0, 2, 0x78, 0x9c))),
  },
  {
    name: 'endless metadata',
    first: stream => frame(headers, 0, stream, ok),
    piece: stream => many(frame(continuation, 0, stream, header('a', 'b'))),
  },
  {
    name: 'metadata after metadata',
    first: begun,
    piece: stream => many(frame(headers, endHeaders, stream, header('a', 'b'))),
  },
  { name: 'metadata that expand', piece: stream => frame(headers, endHeaders, stream, bomb) },
  {
    name: 'trailers that expand',
    first: stream => Buffer.concat([begun(stream), frame(headers, endHeaders | endStream, stream, bomb)]),
  },
  {
    name: 'a long text of an error',
    first: answer(
      Buffer.alloc(0),
      Buffer.concat([header('grpc-status', '2'), ...range(100, () => header('grpc-message', '%e4'.repeat(40)))]),
    ),
  },
  { name: 'a deep message', first: answer(Buffer.alloc(15_000, 0x0b)) },
  { name: 'a message of many fields', first: answer(Buffer.alloc(15_000, Buffer.of(0x08, 0x01))) },
  { name: 'a number without end', first: answer(Buffer.alloc(15_000, 0xff)) },
  { name: 'origins', piece: () => many(frame(origin, 0, 0, Buffer.from('\0\x09https://a'))) },
  { name: 'updates of the window', piece: () => many(numberFrame(windowUpdate, 0, 1)) },
  { name: 'settings', piece: () => many(settingsFrame([[4, 1000]]), settingsFrame([[4, 1001]])) },
  { name: 'pings', piece: () => many(frame(ping, 0, 0, Buffer.alloc(8))) },
  { name: 'refusals', first: stream => numberFrame(resetStream, stream, 7) },
  { name: 'farewells', first: () => frame(goAway, 0, 0, Buffer.alloc(8)) },
  { name: 'silence' },
];

/** An answer as it should be. */
const good = answer(writeCount(7));

/**
 * An estimator that misuses the connections on which it is asked. It answers the first question well: the scheduler leaves an estimator alone for ten
 * seconds after three late answers in a row.
 */
class HostileEstimator {
  readonly misuse: Misuse;
  /** How often it was asked. */
  asked = 0;
  readonly #server = net.createServer(socket => this.#serve(socket));
  readonly #sockets = new Set<net.Socket>();

  constructor(misuse: Misuse) {
    this.misuse = misuse;
  }

  /** Listens on a free port, and returns it. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as net.AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    serveCalls(socket, (_socket, stream) => this.#answer(socket, stream));
  }

  #answer(socket: net.Socket, stream: number): void {
    const { first, piece } = this.misuse;
    if (this.asked++ === 0) return void socket.write(good(stream));
    if (first) socket.write(first(stream));
    if (!piece) return;
    const bytes = piece(stream);
    const more = (): void => {
      if (socket.destroyed) return;
      // The timers of the other clients run in between.
      if (socket.write(bytes)) setImmediate(more);
      else socket.once('drain', more);
    };
    more();
  }
}

/** Polls until a condition holds; throws after ten seconds. */
async function comesTrue(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; !(await holds()); i++) {
    if (i === 1000) throw new Error(`in vain: ${what}`);
    await setTimeout(10);
  }
}

/** Creates a Deployment and its policy, waits until it was scheduled, and removes both. */
async function schedule(fixture: Fixture, own: string): Promise<void> {
  const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: own }];
  const replicaScheduling = {
    ...{ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  };
  const placement = { clusterAffinity: { clusterNames: ['member1'] }, replicaScheduling };
  await fixture.must(post(policies, policyOf(own, { resourceSelectors, placement })));
  await fixture.must(post(deployments, deployment(own, [container(0)], { replicas: 1 })));
  await comesTrue(`${own} is scheduled`, async () => {
    const { text } = await fixture.send(get(`${bindings}/${own}-deployment`));
    return text.includes('"type":"Scheduled"');
  });
  await fixture.must(remove(`${deployments}/${own}`));
  await fixture.must(remove(`${policies}/${own}`));
}

const serviceFor = (targetPort: number): object =>
  object('v1', 'Service', service, {
    metadata: { namespace },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port, targetPort }] },
  });

/** Schedules Deployments until the estimator was asked twice, and then one more. */
async function ask(fixture: Fixture, estimator: HostileEstimator): Promise<void> {
  await fixture.must(patch('merge', `${services}/${service}`, serviceFor(await estimator.listen())));
  await comesTrue(`the estimator is asked: ${estimator.misuse.name}`, async () => {
    await schedule(fixture, fixture.name('asking'));
    return estimator.asked > 1;
  });
  await setTimeout(floodMs);
  await schedule(fixture, fixture.name('asking'));
}

const hostile: Row = {
  name: 'estimators/frames',
  size: misuses.length,
  flags: [
    ...['--members', '1', '--enable-scheduler-estimator', '--in-process-scheduler-estimator=false'],
    ...['--scheduler-estimator-timeout', '300ms'],
  ],
  retainedBytes: 16 << 20,
  async prepare(fixture) {
    await fixture.send(post('/api/v1/namespaces', object('v1', 'Namespace', namespace))); // a controller may have created it
    await fixture.must(post(services, serviceFor(1)));
  },
  async play(fixture) {
    // Estimators are closed together after the last question: the scheduler would wait for an address at which nothing listens.
    const estimators = misuses.slice(0, fixture.size).map(misuse => new HostileEstimator(misuse));
    for (const estimator of estimators) await ask(fixture, estimator);
    await Promise.all(estimators.map(estimator => estimator.close()));
  },
};

export const estimatorRows: readonly Row[] = [hostile];
