/** Reconciles existing objects with the expected ones: pure functions. */
import { andThen, type Maybe } from '../../lib/maybe.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { ClusterRole, PolicyRule, RoleBinding, Subject } from '../../api/kubernetes/rbac.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import { uncovered } from '../access/cover.js';
import { parseBool } from '../../lib/go/go-bool.js';
import { autoupdateAnnotation, autoupdateSpecAnnotation } from '../../api/kubernetes/well-known.js';

/** The change that an object needs; undefined: none. */
export type ObjectUpdate =
  | undefined
  | { readonly type: 'update'; readonly object: KubeObject }
  /** The object cannot be updated: it is deleted and created again. */
  | { readonly type: 'recreate' };

/**
 * Compares an existing object with the expected one. `existing` is shared and must not be changed. The result is a promise only if the
 * comparison takes longer than a time slice.
 */
export type Reconcile = (existing: KubeObject, expected: KubeObject) => Maybe<ObjectUpdate>;

const update = (object: KubeObject): ObjectUpdate => ({ type: 'update', object });

/** Accepts any existing object. */
export const acceptAny: Reconcile = () => undefined;

const isProtected = ({ metadata }: KubeObject): boolean => metadata.annotations?.[autoupdateAnnotation] === 'false';

/** Returns the existing object with missing labels and annotations added; the object itself when none are missing. */
function withMarks(existing: KubeObject, { metadata: { labels, annotations } }: KubeObject): KubeObject {
  const all = {
    ...(labels && { labels: { ...labels, ...existing.metadata.labels } }),
    ...(annotations && { annotations: { ...annotations, ...existing.metadata.annotations } }),
  };
  const metadata = { ...existing.metadata, ...all };
  return semanticEqual(metadata, existing.metadata) ? existing : { ...existing, metadata };
}

/** Adds these rules and missing selectors, and removes only an unwanted aggregation. */
function roleChange(existing: KubeObject, expected: KubeObject, missing: readonly PolicyRule[]): ObjectUpdate {
  let draft = withMarks(existing, expected) as ClusterRole;
  const { rules, aggregationRule } = existing as ClusterRole;
  const { aggregationRule: wantedAggregation } = expected as ClusterRole;
  if (missing.length > 0) draft = { ...draft, rules: [...(rules ?? []), ...missing] };
  if (aggregationRule && !wantedAggregation) {
    const { aggregationRule: _dropped, ...rest } = draft;
    draft = rest;
  }
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  const more = (wantedAggregation?.clusterRoleSelectors ?? []).filter(
    selector => !selectors.some(own => semanticEqual(own, selector)),
  );
  if (more.length > 0) draft = { ...draft, aggregationRule: { clusterRoleSelectors: [...selectors, ...more] } };
  return draft === existing ? undefined : update(draft);
}

/**
 * Adds missing rules and selectors, and removes only an unwanted aggregation.
 * as component-helpers/auth/rbac/reconciliation/reconcile_role.go
 */
export const reconcileRole: Reconcile = (existing, expected) => {
  if (isProtected(existing)) return undefined;
  const { rules } = existing as ClusterRole;
  const { rules: wanted } = expected as ClusterRole;
  // Rules are usually equal, which is faster to compare than coverage.
  if (semanticEqual(rules, wanted)) return roleChange(existing, expected, []);
  return andThen(inTimeSlices(uncovered(rules ?? [], wanted ?? [])), missing =>
    roleChange(existing, expected, missing),
  );
};

const sameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '') && a.apiGroup === b.apiGroup;

/** Adds missing subjects. as component-helpers/auth/rbac/reconciliation/reconcile_rolebindings.go */
export const reconcileBinding: Reconcile = (existing, expected) => {
  if (isProtected(existing)) return undefined;
  const [{ roleRef, subjects }, wanted] = [existing as RoleBinding, expected as RoleBinding];
  if (!semanticEqual(roleRef, wanted.roleRef)) return { type: 'recreate' };
  let draft = withMarks(existing, expected);
  const missing = (wanted.subjects ?? []).filter(s => !(subjects ?? []).some(own => sameSubject(own, s)));
  if (missing.length > 0) draft = { ...draft, subjects: [...(subjects ?? []), ...missing] };
  return draft === existing ? undefined : update(draft);
};

/** Returns the object's autoupdate annotation; undefined when it is absent or invalid. */
export function saysAutoupdate({ metadata }: KubeObject): boolean | undefined {
  const text = metadata.annotations?.[autoupdateSpecAnnotation] ?? '';
  return parseBool(text);
}

const specAs =
  (always: boolean): Reconcile =>
  (existing, expected) => {
    const annotated = saysAutoupdate(existing);
    const ours = always || (annotated ?? existing.metadata.generation === 1);
    const draft = ours && !semanticEqual(existing['spec'], expected['spec']) ? { spec: expected['spec'] } : undefined;
    if (annotated === ours && !draft) return undefined;
    const annotations = {
      ...existing.metadata.annotations,
      ...(annotated !== ours && { [autoupdateSpecAnnotation]: String(ours) }),
    };
    return update({ ...existing, metadata: { ...existing.metadata, annotations }, ...draft });
  };

/** Updates specs that no user has changed. as pkg/registry/flowcontrol/ensurer/strategy.go */
export const reconcileSpec: Reconcile = specAs(false);

/** Updates a mandatory spec whatever its annotation says. */
export const reconcileMandatorySpec: Reconcile = specAs(true);

/** Updates these keys of a ConfigMap, and leaves others. */
export const reconcileData: Reconcile = (existing, expected) => {
  const data = { ...(existing['data'] as object | undefined), ...(expected['data'] as object) };
  return semanticEqual(data, existing['data']) ? undefined : update({ ...existing, data });
};

/** Updates these fields, and leaves metadata. */
export const reconcileFields =
  (...fields: readonly string[]): Reconcile =>
  (existing, expected) => {
    const changed = fields.filter(field => !semanticEqual(existing[field], expected[field]));
    if (changed.length === 0) return undefined;
    return update({ ...existing, ...Object.fromEntries(changed.map(field => [field, expected[field]])) });
  };
