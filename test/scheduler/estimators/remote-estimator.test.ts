/** The scheduler's side of estimators: connections that follow the clusters, over real sockets. */
import net from 'node:net';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { services } from '../../../api/kubernetes/resources.js';
import { createAuthority, issueClient, issueServing } from '../../../authn/pki/authority.js';
import { notFound } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Informer, InformerFactory, ObjectChange } from '../../../client/runtime/interface.js';
import { type Clock, systemClock } from '../../../lib/clock.js';
import { type Logger, silent } from '../../../lib/logging/interface.js';
import { frame, frameTypes } from '../../../lib/http2/frames.js';
import { atOnce } from '../../../lib/time-slice.js';
import {
  type EstimatorHandler,
  type RunningGrpcServer,
  serveGrpc,
  type ServerTls,
} from '../../../scheduler/estimators/grpc/server.js';
import {
  readReplicasMessage,
  readSetsMessage,
  readUnschedulableMessage,
  writeCount,
} from '../../../scheduler/estimators/protocol/messages.js';
import { RemoteEstimator } from '../../../scheduler/estimators/remote-estimator.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { cluster } from '../objects.js';
import { floodSocket, misusedServer } from './grpc/misused-server.js';

const { signal } = new AbortController();
const timeoutMs = 20_000;
const settings = {
  ...{ timeoutMs, serviceNamespace: 'karmada-system', servicePrefix: 'estimator', port: 10352 },
  ...{ caFile: '', certFile: '', keyFile: '', skipsVerification: false, skipsPullMode: false, needsService: false },
};

/** Clusters that change, and the Services of their estimators. */
class Plane {
  readonly services = new Map<string, KubeObject>();
  readonly #clusters = new Map<string, Cluster>();
  readonly #listeners: ((change: ObjectChange<Cluster>) => void)[] = [];
  readonly #serviceListeners: ((change: ObjectChange) => void)[] = [];

  readonly client = {
    get: (_: unknown, { name }: { readonly name: string }): Promise<KubeObject> => {
      const service = this.services.get(name);
      return service ? Promise.resolve(service) : Promise.reject(notFound(services, name));
    },
  };

  readonly informers = {
    informer: (resource: unknown) => {
      const listeners: unknown[] = resource === resources.clusters ? this.#listeners : this.#serviceListeners;
      const onChange = (listener: unknown) => {
        listeners.push(listener);
        return () => undefined;
      };
      return { onChange } as Partial<Informer> as Informer;
    },
  } as Partial<InformerFactory> as InformerFactory;

  set(name: string, given: Cluster | undefined): void {
    const old = this.#clusters.get(name);
    if (given) this.#clusters.set(name, given);
    else this.#clusters.delete(name);
    for (const listener of this.#listeners)
      listener({ key: name, old, new: given, oldCached: undefined, newCached: undefined });
  }

  /** Tells where the estimator of a cluster listens. */
  setService(name: string, port: number): void {
    const service = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: `estimator-${name}`, namespace: 'karmada-system' } },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 10352, targetPort: port }] },
    };
    this.services.set(`estimator-${name}`, service);
    const key = `karmada-system/estimator-${name}`;
    for (const listener of this.#serviceListeners)
      listener({ key, old: undefined, new: service, oldCached: undefined, newCached: undefined });
  }

  /** Adds a cluster whose estimator listens on the port. */
  join(name: string, port: number): Cluster {
    this.setService(name, port);
    const joined = cluster(name);
    this.set(name, joined);
    return joined;
  }
}

const counting =
  (count: number): EstimatorHandler =>
  () =>
    Promise.resolve(writeCount(count));

function serveUntilStopped(handle: EstimatorHandler, port = 0, tls?: ServerTls): Promise<RunningGrpcServer> {
  const handlers = {
    MaxAvailableReplicas: handle,
    MaxAvailableComponentSets: handle,
    GetUnschedulableReplicas: handle,
  };
  return serveGrpc({ host: '127.0.0.1', port, handlers, tls });
}

async function serve(t: Test, handle: EstimatorHandler, tls?: ServerTls): Promise<RunningGrpcServer> {
  const server = await serveUntilStopped(handle, 0, tls);
  t.teardown(() => server.close());
  return server;
}

interface EstimatorParts {
  readonly clock?: Clock;
  readonly log?: Logger;
}

function estimatorOf(
  t: Test,
  plane: Plane,
  more: Partial<typeof settings> = {},
  { clock = systemClock, log = silent }: EstimatorParts = {},
) {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const { client, informers } = plane;
  const deps = { client, informers, clock, log, signal: stop.signal };
  return { estimator: new RemoteEstimator({ ...settings, ...more }, deps), stop };
}

const ask = {
  ...{ namespace: 'ns', object: 'kind=Deployment, name=ns/web', requirements: { resourceRequest: { cpu: '1' } } },
  assumed: () => [],
};
const workload = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };

t.test('every cluster has its own estimator, which is asked with what is assumed of it', async t => {
  const plane = new Plane();
  const { estimator } = estimatorOf(t, plane);
  const asked: unknown[] = [];
  const five = await serve(t, message => {
    asked.push(atOnce(readReplicasMessage(message)));
    return Promise.resolve(writeCount(5));
  });
  const seven = await serve(t, counting(7));
  const negative = await serve(t, counting(-1));
  const clusters = [plane.join('m1', five.port), plane.join('m2', seven.port), plane.join('m3', negative.port)];
  const assumed = (name: string) => [{ namespace: name, components: [{ name: 'c', replicas: 1 }] }];
  const table = await estimator.maxAvailableReplicas({ ...ask, assumed }, [...clusters, cluster('unknown')], signal);
  t.strictSame([...table].sort(), [
    ['m1', 5],
    ['m2', 7],
  ]);
  t.strictSame(asked, [{ cluster: 'm1', requirements: ask.requirements, assumed: assumed('m1') }]);
  const malformed = { ...ask, requirements: { resourceRequest: { cpu: 'x' } } };
  t.equal((await estimator.maxAvailableReplicas(malformed, clusters, signal)).size, 0);
});

t.test('sets and unschedulable replicas are asked for', async t => {
  const plane = new Plane();
  const { estimator } = estimatorOf(t, plane);
  const asked: Buffer[] = [];
  const { port } = await serve(t, message => {
    asked.push(message);
    return Promise.resolve(writeCount(3));
  });
  const m1 = plane.join('m1', port);
  const components = [{ name: 'c', replicas: 2 }];
  const table = await estimator.maxAvailableComponentSets({ ...ask, components }, [m1], signal);
  t.strictSame([...table], [['m1', 3]]);
  t.equal(await estimator.unschedulableReplicas('m1', workload, 60_000, signal), 3);
  t.equal(await estimator.unschedulableReplicas('unknown', workload, 60_000, signal), undefined);
  const [sets, unschedulable] = asked;
  t.strictSame(sets && atOnce(readSetsMessage(sets)), { cluster: 'm1', namespace: 'ns', components, assumed: [] });
  t.strictSame(unschedulable && readUnschedulableMessage(unschedulable), {
    ...{ cluster: 'm1', resource: workload, thresholdMs: 60_000 },
  });
});

t.test('a silent estimator is waited for until the timeout, and rests after three times', async t => {
  const plane = new Plane();
  const clock = steppedClock();
  const { estimator } = estimatorOf(t, plane, { timeoutMs: 400 }, { clock });
  let isSilent = true;
  let calls = 0;
  const slow = await serve(t, () => {
    calls++;
    return isSilent ? new Promise(() => undefined) : Promise.resolve(writeCount(4));
  });
  const fast = await serve(t, counting(7));
  const clusters = [plane.join('slow', slow.port), plane.join('fast', fast.port)];
  await until('both are connected', async () => {
    const table = await estimator.maxAvailableReplicas(ask, clusters, signal);
    return table.get('fast') === 7 && calls > 0;
  });
  for (let i = calls; i < 3; i++) await estimator.maxAvailableReplicas(ask, clusters, signal);
  t.equal(calls, 3);
  isSilent = false;
  t.strictSame([...(await estimator.maxAvailableReplicas(ask, clusters, signal))], [['fast', 7]]);
  t.equal(calls, 3, 'it is not asked');
  await until('it is asked again after its rest', async () => {
    clock.advance(10_000);
    return (await estimator.maxAvailableReplicas(ask, clusters, signal)).get('slow') === 4;
  });
});

t.test('an estimator that is not there delays nothing, and is found later', async t => {
  const plane = new Plane();
  const { estimator } = estimatorOf(t, plane);
  const free = net.createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as net.AddressInfo;
  free.close();
  const m1 = plane.join('m1', port);
  t.equal((await estimator.maxAvailableReplicas(ask, [m1], signal)).size, 0);
  const server = await serve(t, counting(2));
  plane.join('m1', server.port);
  await until('it is found', async () => (await estimator.maxAvailableReplicas(ask, [m1], signal)).size === 1);
});

t.test('connections end with their clusters, and with the scheduler', async t => {
  const plane = new Plane();
  const { estimator, stop } = estimatorOf(t, plane, { skipsPullMode: true });
  const { port } = await serve(t, counting(2));
  const [m1, m2] = [plane.join('m1', port), plane.join('m2', port)];
  const known = async (): Promise<string[]> =>
    [...(await estimator.maxAvailableReplicas(ask, [m1, m2], signal)).keys()].sort();
  t.strictSame(await known(), ['m1', 'm2']);
  plane.set('m1', cluster('m1', { syncMode: 'Pull' }));
  t.strictSame(await known(), ['m2'], 'a cluster in pull mode is not asked');
  plane.set('m2', undefined);
  t.strictSame(await known(), []);
  plane.join('m2', port);
  t.strictSame(await known(), ['m2']);
  stop.abort();
  t.strictSame(await known(), []);
});

t.test('TLS is that of the flags', async t => {
  const folder = t.testdir({});
  const ca = await createAuthority('ca');
  const serving = await issueServing(ca, ['localhost']);
  const client = await issueClient(ca, { name: 'karmada-scheduler' });
  const pem = (text: string): Buffer => Buffer.from(text);
  const write = async (name: string, text: string): Promise<string> => {
    await fs.writeFile(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const tls = { cert: pem(serving.certificate), key: pem(serving.key), clientCa: pem(ca.certificate) };
  const { port } = await serve(t, counting(2), tls);
  const files = {
    caFile: await write('ca.crt', ca.certificate),
    certFile: await write('tls.crt', client.certificate),
    keyFile: await write('tls.key', client.key),
  };
  const rows: readonly [name: string, more: Partial<typeof settings>, found: number][] = [
    ['mutual', files, 1],
    ['no verification', { ...files, caFile: '', skipsVerification: true }, 1],
    ['no certificate', { caFile: files.caFile, timeoutMs: 2000 }, 0],
    ['plain', { timeoutMs: 2000 }, 0],
    ['a file that does not exist', { ...files, caFile: path.join(folder, 'none') }, 0],
  ];
  for (const [name, more, found] of rows) {
    const plane = new Plane();
    const { estimator } = estimatorOf(t, plane, more);
    const m1 = plane.join('m1', port);
    t.equal((await estimator.maxAvailableReplicas(ask, [m1], signal)).size, found, name);
  }
});

t.test('a changed address is used at once, and renewed certificates within a minute', async t => {
  const folder = t.testdir({});
  const [old, fresh] = await Promise.all([createAuthority('old'), createAuthority('fresh')]);
  const pem = (text: string): Buffer => Buffer.from(text);
  const servedBy = async (authority: typeof old, count: number, port = 0): Promise<RunningGrpcServer> => {
    const serving = await issueServing(authority, ['localhost']);
    const clientCa = pem(authority.certificate);
    const tls = { cert: pem(serving.certificate), key: pem(serving.key), clientCa };
    return serveUntilStopped(counting(count), port, tls);
  };
  const files = {
    caFile: path.join(folder, 'ca.crt'),
    certFile: path.join(folder, 'tls.crt'),
    keyFile: path.join(folder, 'tls.key'),
  };
  const write = async (authority: typeof old): Promise<void> => {
    const client = await issueClient(authority, { name: 'karmada-scheduler' });
    await fs.writeFile(files.caFile, authority.certificate);
    await fs.writeFile(files.certFile, client.certificate);
    await fs.writeFile(files.keyFile, client.key, { mode: 0o600 });
  };
  await write(old);
  const plane = new Plane();
  const clock = steppedClock();
  const { estimator } = estimatorOf(t, plane, files, { clock });
  const first = await servedBy(old, 1);
  const m1 = plane.join('m1', first.port);
  const count = async (): Promise<number | undefined> =>
    (await estimator.maxAvailableReplicas(ask, [m1], signal)).get('m1');
  t.equal(await count(), 1);
  const second = await servedBy(old, 2);
  plane.setService('m1', second.port);
  await until('the new address is used', async () => {
    clock.advance(1_000);
    return (await count()) === 2;
  });
  await first.close();

  await second.close();
  const third = await servedBy(fresh, 3, second.port);
  t.teardown(() => third.close());
  await write(fresh);
  await until('the new certificates are used', async () => {
    clock.advance(60_000);
    return (await count()) === 3;
  });
});

t.test('loss and return of an estimator are logged once each', async t => {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push(`${level} ${'cluster' in fields ? String(fields.cluster) : ''} ${message}`);
  const log = { ...silent, warn: line('warn'), info: line('info') };
  const clock = steppedClock();
  const plane = new Plane();
  const { estimator } = estimatorOf(t, plane, {}, { clock, log });
  const first = await serveUntilStopped(counting(2));
  const m1 = plane.join('m1', first.port);
  const count = async (): Promise<number> => (await estimator.maxAvailableReplicas(ask, [m1], signal)).size;
  t.equal(await count(), 1);
  t.strictSame(lines, []);
  await first.close();
  await until('the loss is logged', () => {
    clock.advance(60_000);
    return lines.length > 0;
  });
  t.equal(await count(), 0);
  const again = await serveUntilStopped(counting(2), first.port);
  t.teardown(() => again.close());
  await until('the return is logged', () => lines.length > 1);
  t.equal(await count(), 1);
  t.strictSame(lines, [
    'warn m1 the estimator of a member cannot be reached; it is tried again',
    'info m1 the estimator of a member can be reached again',
  ]);
});

t.test(
  'an estimator that floods is asked again later each time, and at once after a change of its Service',
  async t => {
    const lines: string[] = [];
    const log = {
      ...silent,
      warn: (fields: object) => void lines.push('cause' in fields ? String(fields.cause) : ''),
      info: () => void lines.push('works'),
    };
    const clock = steppedClock();
    const plane = new Plane();
    const { estimator } = estimatorOf(t, plane, {}, { clock, log });
    const flooding = await misusedServer(t, socket =>
      floodSocket(socket, frame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
    );
    const m1 = plane.join('m1', flooding.port);
    const count = async (): Promise<number | undefined> =>
      (await estimator.maxAvailableReplicas(ask, [m1], signal)).get('m1');
    for (const [i, seconds] of [1, 2, 4, 8].entries()) {
      await until('it is connected, and disconnected after a question', async () => {
        await count();
        return flooding.sockets.opened === i + 1 && flooding.sockets.open === 0;
      });
      await until('the next attempt is planned', () => clock.sleeping > 1);
      clock.advance(seconds * 1000 - 1);
      t.equal(await count(), undefined);
      t.equal(flooding.sockets.opened, i + 1, 'it is left alone');
      clock.advance(1);
    }
    await until('its failures are logged', async () => {
      await count();
      return lines.length > 0;
    });
    t.equal(flooding.sockets.opened, 5);
    t.strictSame(lines, [`the estimator at localhost:${flooding.port} sends more than it was asked for`]);
    const regular = await serve(t, counting(3));
    plane.setService('m1', regular.port);
    await until('it answers', async () => (await count()) === 3);
    t.equal(lines.at(-1), 'works');
  },
);

t.test('an estimator that ends its connections at once is asked again later each time', async t => {
  const clock = steppedClock();
  const plane = new Plane();
  const { estimator } = estimatorOf(t, plane, {}, { clock });
  const ending = await misusedServer(t, socket => socket.end(frame(frameTypes.goAway, 0, 0, Buffer.alloc(8))));
  const m1 = plane.join('m1', ending.port);
  for (const [i, seconds] of [1, 2, 4].entries()) {
    await until('it is connected, and ends that', async () => {
      t.equal((await estimator.maxAvailableReplicas(ask, [m1], signal)).size, 0);
      return ending.sockets.opened === i + 1 && ending.sockets.open === 0;
    });
    await until('the next attempt is planned', () => clock.sleeping > 1);
    clock.advance(seconds * 1000 - 1);
    t.equal((await estimator.maxAvailableReplicas(ask, [m1], signal)).size, 0);
    t.equal(ending.sockets.opened, i + 1, 'it is left alone');
    clock.advance(1);
  }
});
