import { isAtLeastVersion } from '../../apimachinery/meta/resource-version.js';
import { keyOf } from '../../client/key.js';
import type { Informer, Key, ObjectChange } from '../../client/runtime/interface.js';
import type { Binding, TargetCluster } from '../../api/karmada/types.js';
import type { SchedulingInput } from '../interface.js';

type Group = Parameters<NonNullable<SchedulingInput['peers']>>[0];

/**
 * Decisions that the mirror of bindings does not show yet. Several workers decide at the same time, and the members of one affinity group must see
 * each other's targets: a decision counts from the moment in which it is made. It is dropped when its write fails, or when the mirror shows it; so
 * there are as many as there are workers, and events on their way. as pkg/scheduler/cache AssigningResourceBindingCache
 */
export class InFlight {
  readonly #mirror: Pick<Informer<Binding>, 'get' | 'byIndex'>;
  /** Bindings with their new targets. One whose write is not answered yet is newer than any other state. */
  readonly #bindings = new Map<Key, { readonly binding: Binding; readonly isWritten: boolean }>();

  constructor(mirror: Pick<Informer<Binding>, 'get' | 'byIndex'>) {
    this.#mirror = mirror;
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** Adds a binding with the targets that it has got, which are about to be written. */
  decided(binding: Binding, clusters: readonly TargetCluster[]): void {
    const spec = { ...binding.spec, clusters: [...clusters] };
    this.#bindings.set(keyOf(binding), { binding: { ...binding, spec }, isWritten: false });
  }

  /** Notes that the targets were written. `binding`: as the server has answered. */
  written(binding: Binding): void {
    const key = keyOf(binding);
    const shown = this.#mirror.get(key);
    // The event may come before the answer.
    if (!shown || isAtLeast(shown, binding)) this.#bindings.delete(key);
    else this.#bindings.set(key, { binding, isWritten: true });
  }

  /** Ends an attempt: a decision that was not written does not count. */
  ended(key: Key): void {
    if (this.#bindings.get(key)?.isWritten === false) this.#bindings.delete(key);
  }

  /** Applies a change of the mirror: a decision that it shows is dropped. */
  changed({ key, new: shown }: ObjectChange<Binding>): void {
    const known = this.#bindings.get(key);
    if (known?.isWritten && (!shown || isAtLeast(shown, known.binding))) this.#bindings.delete(key);
  }

  /** Returns the members of a group, other than the binding itself, in their newest known state. */
  peersOf(binding: Binding, group: Group, value: string): readonly Binding[] {
    const { namespace, name } = binding.metadata;
    const peers = this.#mirror.byIndex(group, `${namespace}/${value}`).filter(({ metadata }) => metadata.name !== name);
    return this.#bindings.size === 0 ? peers : peers.map(peer => this.#newest(peer));
  }

  #newest(shown: Binding): Binding {
    const known = this.#bindings.get(keyOf(shown));
    if (!known) return shown;
    return known.isWritten && isAtLeast(shown, known.binding) ? shown : known.binding;
  }
}

const isAtLeast = (a: Binding, b: Binding): boolean =>
  isAtLeastVersion(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '');
