import type { KubeObject } from '../../apimachinery/interface.js';
import { gvkOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { workName } from '../../api/karmada/names.js';
import type { Cluster, Condition, Work } from '../../api/karmada/types.js';
import type { Client } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import { NotSynced } from '../../client/runtime/controller.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import type { Clock } from '../../lib/clock.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { MemberContext, MemberWatch } from '../members/member-watch.js';
import { workKeyOf } from './apply.js';

interface PrerequisiteDeps {
  /** Client of the control plane. */
  readonly client: Client;
  readonly members: MemberWatch;
  readonly works: Informer<Work>;
  readonly clock: Clock;
  /** Reports whether a Work was applied, and its conditions will be written later. */
  readonly isReportPostponed: (key: Key) => boolean;
}

/** Milliseconds after a Work's creation for which the Work of its namespace, or that with the definition of its kind, may still be missing. */
const namespaceWorkMs = 5_000;
const kindWorkMs = 1_000;

/** Milliseconds after a definition was applied for which its kind may still not be served. After that a failure is shown. */
const establishingMs = 30_000;

/** Milliseconds after which a Work of a kind that may still come is tried again. */
const kindRetryMs = 200;

const definitionKind = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

interface AwaitedWork {
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * What a manifest needs in its member and other Works bring there: its namespace and the definition of its kind. Objects that are applied before them
 * would fail, and with the kind also their mirror, which would be tried again only after its backoff. differs: Karmada applies Works in any order,
 * until none fails.
 */
export class Prerequisites {
  readonly #deps: PrerequisiteDeps;
  /** The Works that others wait for. */
  readonly #awaited = new Map<Key, AwaitedWork>();
  /** The kinds that need not be looked for any more, by the connection to the member. */
  readonly #knownKinds = new WeakMap<MemberContext, Set<string>>();

  constructor(deps: PrerequisiteDeps) {
    this.#deps = deps;
  }

  /** Throws NotSynced while the definition of the manifest's kind is on its way to the member. To be called before the kind is mirrored. */
  async requireKind(manifest: KubeObject, { metadata: { namespace = '' } }: Work, cluster: Cluster): Promise<void> {
    const { client, members, works } = this.#deps;
    const gvk = gvkOf(manifest);
    // Kinds without a domain are not custom ones.
    if (!gvk.group.includes('.')) return;
    const known = this.#kindsOf(await members.connect(cluster));
    const kind = `${gvk.group}/${gvk.kind}`;
    if (known.has(kind)) return;
    const resource = await client.mapper.forKind(gvk);
    if (!resource) return;
    const name = `${resource.resource}.${gvk.group}`;
    const key = namespacedName(namespace, workName('CustomResourceDefinition', name, ''));
    const progress = this.#progressOf(works.get(key));
    if (progress === 'none') return;
    if (progress === 'on its way' || !(await this.#isEstablished(key, name, cluster))) throw this.#notYet(key);
    known.add(kind);
  }

  /** Throws NotSynced while the manifest's namespace is on its way to the member. */
  requireNamespace(manifest: KubeObject, { metadata: { namespace = '' } }: Work): void {
    const needed = manifest.metadata.namespace;
    if (!needed) return;
    const key = namespacedName(namespace, workName('Namespace', needed, ''));
    if (this.#progressOf(this.#deps.works.get(key)) === 'on its way') throw this.#notYet(key);
  }

  /**
   * Returns the minimum milliseconds after which a manifest that could not be applied is tried again, if it failed only because its namespace or kind
   * is not in the member yet: these are propagated at the same time, and even their Works may still be missing. differs: Karmada counts this as a
   * failure and records Events.
   */
  retryMs(error: unknown, manifest: KubeObject, work: Work): number | undefined {
    if (!(error instanceof StatusError) || error.code !== 404) return undefined;
    const { details } = error.status;
    const ageMs = this.#deps.clock.now() - Date.parse(work.metadata.creationTimestamp ?? '');
    if (details?.name === undefined) return ageMs < kindWorkMs ? kindRetryMs : undefined;
    const { namespace } = manifest.metadata;
    if (!namespace || details.kind !== 'namespaces' || details.name !== namespace) return undefined;
    const namespaceWork = this.#deps.works.get(
      namespacedName(work.metadata.namespace, workName('Namespace', namespace, '')),
    );
    const isExpected = namespaceWork
      ? isDispatched(namespaceWork) && this.#progressOf(namespaceWork) !== 'none'
      : ageMs < namespaceWorkMs;
    return isExpected ? 0 : undefined;
  }

  /** Wakes those that wait for a Work, since it was applied, has failed or has changed. hot: for every change of a Work. */
  settled(key: Key): void {
    if (this.#awaited.size === 0) return;
    this.#awaited.get(key)?.settle();
    this.#awaited.delete(key);
  }

  /** Wakes those that wait for the definition of a kind, since an object in a member has changed. hot: for every change of an object. */
  changed(object: KubeObject): void {
    if (this.#awaited.size === 0 || object.kind !== 'CustomResourceDefinition' || !isEstablished(object)) return;
    const key = workKeyOf(object);
    if (key !== undefined) this.settled(key);
  }

  #kindsOf(member: MemberContext): Set<string> {
    const known = this.#knownKinds.get(member) ?? new Set();
    this.#knownKinds.set(member, known);
    return known;
  }

  /**
   * Returns how far a Work is. Only one that is on its way or was applied is waited for: the object of a Work that is suspended, is deleted or has
   * failed may never come, or may be there already by other means, and what needs it shows the failure.
   */
  #progressOf(work: Work | undefined): 'on its way' | 'applied' | 'none' {
    if (!work) return 'none';
    const applied = findCondition(work.status?.conditions, 'Applied')?.status;
    if (applied === 'True' || this.#deps.isReportPostponed(keyOf(work))) return 'applied';
    return applied === undefined && isDispatched(work) ? 'on its way' : 'none';
  }

  /**
   * Resolves with true if the member serves the kind of an applied definition, or will not: the account may not list definitions, or the definition
   * was applied long ago.
   */
  async #isEstablished(key: Key, name: string, cluster: Cluster): Promise<boolean> {
    const { client, members, works, clock } = this.#deps;
    const applied = findCondition(works.get(key)?.status?.conditions, 'Applied');
    if (applied && !(clock.now() - Date.parse(applied.lastTransitionTime ?? '') <= establishingMs)) return true;
    const resource = await client.mapper.forKind(definitionKind);
    if (!resource) return true;
    const { informer } = await members.watch(cluster, resource);
    if (!informer.hasSynced) return informer.hasFailed;
    const definition = informer.get(name);
    return definition !== undefined && isEstablished(definition);
  }

  #notYet(key: Key): NotSynced {
    let awaited = this.#awaited.get(key);
    if (!awaited) {
      let settle = (): void => undefined;
      const settled = new Promise<void>(resolve => (settle = resolve));
      awaited = { settled, settle };
      this.#awaited.set(key, awaited);
    }
    return new NotSynced(`waiting for the Work ${key}`, awaited.settled);
  }
}

const isDispatched = ({ metadata, spec }: Work): boolean => !metadata.deletionTimestamp && !spec.suspendDispatching;

function isEstablished({ status }: KubeObject): boolean {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return findCondition(conditions, 'Established')?.status === 'True';
}
