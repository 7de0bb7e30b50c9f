import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import type { AggregatedStatusItem, Component, Health } from '../../../api/karmada/types.js';
import type { Maybe } from '../../../lib/maybe.js';
import type { DependentReference, Replicas } from '../interface.js';

/** What is known about one third-party kind. An operation that is left out falls to the next tier. */
export interface KindInterpreter {
  readonly replicas?: (object: KubeObject) => Maybe<Replicas>;
  readonly components?: (object: KubeObject) => Promise<readonly Component[]>;
  readonly reviseReplica?: (object: KubeObject, replicas: number) => KubeObject;
  /** Returns `desired` with the fields of `observed` that belong to the member. */
  readonly retain?: (desired: KubeObject, observed: KubeObject) => KubeObject;
  /** `now` returns milliseconds since 1970. */
  readonly aggregateStatus?: (
    object: KubeObject,
    items: readonly AggregatedStatusItem[],
    now: () => number,
  ) => KubeObject;
  readonly dependencies?: (object: KubeObject) => readonly DependentReference[];
  readonly reflectStatus?: (object: KubeObject) => JsonObject | undefined;
  readonly health?: (object: KubeObject) => Health;
}

/** Kinds by key, such as `apps.kruise.io/v1alpha1/CloneSet`. */
export type KindTable = Readonly<Record<string, KindInterpreter>>;
