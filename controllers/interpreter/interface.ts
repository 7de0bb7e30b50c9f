/**
 * What Karmada needs to know about a kind: its replicas, health, status and dependencies. Each tier is an interpreter (user scripts,
 * webhooks, kinds of other projects, native kinds), and so is a list of tiers: the first one that has the hook answers.
 */
import type { GroupVersionKind, JsonObject, KubeObject } from '../../apimachinery/interface.js';
import type { AggregatedStatusItem, Component, Health, ReplicaRequirements } from '../../api/karmada/types.js';
import type { Maybe } from '../../lib/maybe.js';

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

/** A dependency of an object in the same namespace: one object by name, or all that a label selector matches. */
export interface DependentReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: JsonObject;
}

/** Interprets objects. Methods return new objects, never change their arguments, and may throw; they are called only if `has` is true. */
export interface Interpreter {
  has(kind: GroupVersionKind, operation: Operation): boolean;
  replicas(object: KubeObject): Maybe<Replicas>;
  components(object: KubeObject): Maybe<readonly Component[]>;
  reviseReplica(object: KubeObject, replicas: number): Maybe<KubeObject>;
  /** Returns `desired` with the fields of `observed` that belong to the member. */
  retain(desired: KubeObject, observed: KubeObject): Maybe<KubeObject>;
  /** Returns the object with the status aggregated from its copies in members. */
  aggregateStatus(object: KubeObject, items: readonly AggregatedStatusItem[]): Maybe<KubeObject>;
  dependencies(object: KubeObject): Maybe<readonly DependentReference[]>;
  /** Returns the part of a member object's status that the Work gets; undefined without status. */
  reflectStatus(object: KubeObject): Maybe<JsonObject | undefined>;
  health(object: KubeObject): Maybe<Health>;
}
