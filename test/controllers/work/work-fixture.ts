/** A control plane with the controllers of Works, and a member without controllers that has joined it over HTTPS. */
import type { Test } from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Cluster, Work } from '../../../api/karmada/types.js';
import { annotations, finalizers, labels, resources } from '../../../api/karmada/well-known.js';
import type { CachedEvent, Client } from '../../../client/interface.js';
import { componentContext } from '../../../client/runtime/component.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { cachedReader } from '../../../client/watch/cached-reader.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { memberContexts } from '../../../controllers/members/member-contexts.js';
import {
  type ConnectMember,
  createMemberWatch,
  type MemberContext,
} from '../../../controllers/members/member-watch.js';
import { type ExecutionOptions, startExecutionController } from '../../../controllers/work/execution.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import type { Logger } from '../../../lib/logging/interface.js';
import type { ServerConfig } from '../../../server/config.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { core, grant, join, memberServer, object, rbac } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout } from '../control-plane.js';

export const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };
export const workNamespace = 'karmada-es-member1';

/** A gate for the events of a resource: they pass while it is open, and wait in their order while it is closed. */
export class Gate {
  readonly resource: string;
  /** The number of events that still pass. */
  #left = Infinity;
  #opened = Promise.resolve();
  #open = (): void => undefined;

  constructor(resource: string) {
    this.resource = resource;
  }

  pass(): Promise<void> {
    return this.#left-- > 0 ? Promise.resolve() : this.#opened;
  }

  closeAfter(events: number): void {
    this.#left = events;
    this.#opened = new Promise(resolve => (this.#open = resolve));
  }

  open(): void {
    this.#left = Infinity;
    this.#open();
  }
}

/** Returns a client whose mirrors get the events of the gate's resource through the gate. */
function gated<C extends Client>(client: C, gate: Gate): C {
  const reader = cachedReader(client);
  async function* watch(...[resource, query, signal]: Parameters<typeof reader.watch>): AsyncGenerator<CachedEvent> {
    for await (const event of reader.watch(resource, query, signal)) {
      if (resource.resource === gate.resource) await gate.pass();
      yield event;
    }
  }
  const cached = { ...reader, watch };
  // Methods of a class are not copied by a spread, and have private fields of the client itself.
  return new Proxy(client, {
    get(target, name) {
      if (name === 'cached') return cached;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export interface FixtureOptions {
  /** Settings of the control plane. */
  readonly config?: Partial<ServerConfig>;
  /** The gate for what the mirrors of the control plane receive. */
  readonly controlGate?: Gate;
  /** The gate for what the mirrors of the member receive. */
  readonly memberGate?: Gate;
  /** Rights of the account in the member; all if absent. */
  readonly rules?: readonly object[];
  readonly log?: Logger;
  /** Milliseconds for which the first list of a mirror of the member is waited for. */
  readonly syncTimeoutMs?: number;
  /** Returns the server that the cluster names instead of the member, such as a proxy. */
  readonly front?: (member: TestServer) => Promise<{ readonly url: string; readonly authority: string }>;
  /** Starts the controllers; by default both controllers of Works. */
  readonly start?: (context: ControllerContext, options: ExecutionOptions) => void;
}

export interface Fixture {
  readonly control: TestServer;
  readonly member: TestServer;
}

function startBoth(context: ControllerContext, options: ExecutionOptions): void {
  startExecutionController(context, options);
  startWorkStatusController(context, options);
}

/** Returns the part of a control plane that runs the controllers of Works. */
export const workControllers = ({
  controlGate,
  memberGate,
  log = silent,
  start = startBoth,
  syncTimeoutMs,
}: FixtureOptions = {}): Part => ({
  name: 'works',
  start(part) {
    const clientFor: typeof part.clientFor = (...identity) => {
      const client = part.clientFor(...identity);
      return controlGate ? gated(client, controlGate) : client;
    };
    const context = componentContext({ ...part, clientFor, log }, 'karmada-controller-manager');
    const connections = createMembers(context.client, 'karmada-controller-manager', { retriesByQueue: true });
    const contexts = memberContexts(connections, context);
    const connect: ConnectMember = memberGate ? behindGate(contexts, memberGate, context) : contexts;
    start(context, {
      interpreter: nativeInterpreter,
      members: createMemberWatch(connect, syncTimeoutMs),
      serves: () => true,
    });
    return Promise.resolve({
      async stop() {
        await connections.close();
        await context.finished();
      },
    });
  },
});

function behindGate(contexts: ConnectMember, gate: Gate, { clock, log }: ControllerContext): ConnectMember {
  const known = new WeakMap<MemberContext, MemberContext>();
  return async cluster => {
    const member = await contexts(cluster);
    const before = known.get(member);
    if (before) return before;
    const { client, signal } = member;
    const informers = createInformerFactory({ client: gated(client, gate), signal, clock, log });
    const behind = { client, signal, informers };
    known.set(member, behind);
    return behind;
  };
}

export async function setReady({ client }: TestServer, status: 'True' | 'False'): Promise<void> {
  const cluster = (await client.get(resources.clusters, { name: 'member1' })) as Cluster;
  const condition = { type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await client.update(
    resources.clusters,
    { ...cluster, status: { conditions: [condition] } },
    { subresource: 'status' },
  );
}

const account = { kind: 'ServiceAccount', namespace: 'karmada-cluster', name: 'karmada' };

/** Creates an account in the member, with these rights or all, and returns a token of it. */
export async function accountToken({ client }: TestServer, rules?: readonly object[]): Promise<string> {
  const { namespace, name } = account;
  await client.create(core('namespaces'), object('v1', 'Namespace', namespace));
  await client.create(core('serviceaccounts'), object('v1', 'ServiceAccount', name, { metadata: { namespace } }));
  if (rules)
    await client.create(rbac('clusterroles'), object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, { rules }));
  await grant(client, name, account, rules ? name : 'cluster-admin');
  return newToken({ client });
}

/** Returns another token of the account that `accountToken` has created. */
export async function newToken({ client }: Pick<TestServer, 'client'>): Promise<string> {
  const { namespace, name } = account;
  const request = object('authentication.k8s.io/v1', 'TokenRequest', '', { spec: { expirationSeconds: 3600 } });
  const token = await client.create(
    core('serviceaccounts'),
    { ...request, metadata: { namespace } },
    { name, subresource: 'token' },
  );
  return (token['status'] as { token: string }).token;
}

/** Starts the control plane and the member, which joins as `member1` and is Ready. */
export async function workFixture(t: Test, options: FixtureOptions = {}): Promise<Fixture> {
  const config = { ...options.config, parts: [workControllers(options)] };
  const [control, member] = await Promise.all([runningServer(t, config), memberServer(t)]);
  const token = await accountToken(member, options.rules);
  const direct = { url: member.url, authority: member.pki.authority.certificate };
  const { url, authority } = (await options.front?.(member)) ?? direct;
  await join(control, 'member1', { server: url, authority, token });
  await control.client.create(core('namespaces'), object('v1', 'Namespace', workNamespace));
  await setReady(control, 'True');
  return { control, member };
}

/** Returns the manifest of a Deployment in the namespace `default`. */
export function deployment(name: string): KubeObject {
  const matched = { app: name };
  return object('apps/v1', 'Deployment', name, {
    metadata: { namespace: 'default' },
    spec: {
      selector: { matchLabels: matched },
      template: { metadata: { labels: matched }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
}

/** Returns the manifest with the marks of an object that Karmada manages for a Work. */
export const managed = (manifest: KubeObject, work: string): KubeObject => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    labels: { ...manifest.metadata.labels, [labels.managed]: 'true' },
    annotations: {
      ...manifest.metadata.annotations,
      [annotations.workName]: work,
      [annotations.workNamespace]: workNamespace,
      [annotations.templateGeneration]: '1',
    },
  },
});

/** Creates a Work for the member with the manifests, which get the marks of managed objects. */
export async function createWork(
  { client }: TestServer,
  name: string,
  manifests: readonly KubeObject[],
  spec: Partial<Work['spec']> = {},
): Promise<Work> {
  const work = object('work.karmada.io/v1alpha1', 'Work', name, {
    metadata: { namespace: workNamespace, finalizers: [finalizers.execution] },
    spec: { ...spec, workload: { manifests: manifests.map(manifest => managed(manifest, name)) } },
  });
  return (await client.create(resources.works, work)) as Work;
}

/** Resolves with the Work once it exists and `holds` returns true for it. */
export const workThat = async (
  server: TestServer,
  name: string,
  holds: (work: Work) => boolean = () => true,
): Promise<Work> =>
  (await comesAbout(server, resources.works, { namespace: workNamespace, name }, work => holds(work as Work))) as Work;

/** Reports the number of replicas of a Deployment of the namespace `default`, in place of the member's controller. */
export async function reportReplicas({ client }: TestServer, name: string, replicas: number): Promise<void> {
  const current = await client.get(deployments, { namespace: 'default', name });
  await client.update(deployments, { ...current, status: { replicas } }, { subresource: 'status' });
}

/** Returns the replicas that the status of a Work shows for its first manifest. */
export const replicasIn = ({ status }: Work): number | undefined =>
  (status?.manifestStatuses?.[0]?.status as { replicas?: number } | undefined)?.replicas;
