/**
 * What Karmada needs to know of a kind: how many replicas, what health means, what a status is worth, what it depends on. Tiers are
 * interpreters (user scripts, webhooks, shipped third-party scripts, native kinds), and a list of them is one: the first that has the hook answers.
 */
import type { GroupVersionKind, JsonObject, KubeObject } from '../../apimachinery/interface.js';
import type { AggregatedStatusItem, Component, Health, ReplicaRequirements } from '../../api/karmada/types.js';

export type Operation =
  | 'InterpretReplica'
  | 'InterpretComponent'
  | 'ReviseReplica'
  | 'Retain'
  | 'AggregateStatus'
  | 'InterpretDependency'
  | 'InterpretStatus'
  | 'InterpretHealth';

export interface Replicas {
  readonly replicas: number;
  readonly requirements: ReplicaRequirements | undefined;
}

/** Something that an object needs beside it, in the same namespace: by name, or all that a label selector matches. */
export interface DependentReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: JsonObject;
}

export type MaybePromise<T> = T | Promise<T>;

/** Pure with respect to its arguments: objects are read, new ones returned. A method is called only where `has` said so. Failures throw. */
export interface Interpreter {
  has(kind: GroupVersionKind, operation: Operation): boolean;
  replicas(object: KubeObject): MaybePromise<Replicas>;
  components(object: KubeObject): MaybePromise<readonly Component[]>;
  reviseReplica(object: KubeObject, replicas: number): MaybePromise<KubeObject>;
  /** What the member has and we must not take from it, put into what we want. */
  retain(desired: KubeObject, observed: KubeObject): MaybePromise<KubeObject>;
  /** The object with the status that its copies add up to. */
  aggregateStatus(object: KubeObject, items: readonly AggregatedStatusItem[]): MaybePromise<KubeObject>;
  dependencies(object: KubeObject): MaybePromise<readonly DependentReference[]>;
  /** The part of a member's status that travels; undefined when there is none. */
  reflectStatus(object: KubeObject): MaybePromise<JsonObject | undefined>;
  health(object: KubeObject): MaybePromise<Health>;
}
