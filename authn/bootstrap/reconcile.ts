/** Decides what becomes of an object that should exist and does: pure functions. */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { ClusterRole, RoleBinding, Subject } from '../../api/kubernetes/rbac.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { uncovered } from '../access/cover.js';
import { parseBool } from '../../lib/go/go-bool.js';

/** undefined: it may stay as it is. */
export type Change =
  | undefined
  | { readonly type: 'update'; readonly object: KubeObject }
  /** It cannot be changed into what it should be: delete it and create it anew. */
  | { readonly type: 'recreate' };

/** `existing` is shared and stays as it is. */
export type Reconcile = (existing: KubeObject, expected: KubeObject) => Change;

const update = (object: KubeObject): Change => ({ type: 'update', object });

/** Whatever is there is right. */
export const keep: Reconcile = () => undefined;

const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';
const isProtected = ({ metadata }: KubeObject): boolean => metadata.annotations?.[autoupdate] === 'false';

/** The existing object with the labels and annotations that are missing; the existing object itself when none are. */
function withMarks(existing: KubeObject, { metadata: { labels, annotations } }: KubeObject): KubeObject {
  const all = {
    ...(labels && { labels: { ...labels, ...existing.metadata.labels } }),
    ...(annotations && { annotations: { ...annotations, ...existing.metadata.annotations } }),
  };
  const metadata = { ...existing.metadata, ...all };
  return semanticEqual(metadata, existing.metadata) ? existing : { ...existing, metadata };
}

/** Rules and selectors that are missing are added; nothing is taken away but an aggregation that should not be. */
// as component-helpers/auth/rbac/reconciliation/reconcile_role.go
export const reconcileRole: Reconcile = (existing, expected) => {
  if (isProtected(existing)) return undefined;
  let draft = withMarks(existing, expected) as ClusterRole;
  const { rules, aggregationRule } = existing as ClusterRole;
  const { rules: wanted, aggregationRule: wantedAggregation } = expected as ClusterRole;
  // Equal rules are the rule, and quicker to see than what they cover.
  const missing = semanticEqual(rules, wanted) ? [] : uncovered(rules ?? [], wanted ?? []);
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
};

const sameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '') && a.apiGroup === b.apiGroup;

/** Subjects that are missing are added. as component-helpers/auth/rbac/reconciliation/reconcile_rolebindings.go */
export const reconcileBinding: Reconcile = (existing, expected) => {
  if (isProtected(existing)) return undefined;
  const [{ roleRef, subjects }, wanted] = [existing as RoleBinding, expected as RoleBinding];
  if (!semanticEqual(roleRef, wanted.roleRef)) return { type: 'recreate' };
  let draft = withMarks(existing, expected);
  const missing = (wanted.subjects ?? []).filter(s => !(subjects ?? []).some(own => sameSubject(own, s)));
  if (missing.length > 0) draft = { ...draft, subjects: [...(subjects ?? []), ...missing] };
  return draft === existing ? undefined : update(draft);
};

const autoupdateSpec = 'apf.kubernetes.io/autoupdate-spec';

/** What an object says about itself; undefined when it says nothing that can be understood. */
export function saysAutoupdate({ metadata }: KubeObject): boolean | undefined {
  const text = metadata.annotations?.[autoupdateSpec] ?? '';
  return parseBool(text);
}

const specAs =
  (always: boolean): Reconcile =>
  (existing, expected) => {
    const says = saysAutoupdate(existing);
    const ours = always || (says ?? existing.metadata.generation === 1);
    const draft = ours && !semanticEqual(existing['spec'], expected['spec']) ? { spec: expected['spec'] } : undefined;
    if (says === ours && !draft) return undefined;
    const annotations = { ...existing.metadata.annotations, ...(says !== ours && { [autoupdateSpec]: String(ours) }) };
    return update({ ...existing, metadata: { ...existing.metadata, annotations }, ...draft });
  };

/** Specs that nobody has taken over are kept as this release wants them. as pkg/registry/flowcontrol/ensurer/strategy.go */
export const reconcileSpec: Reconcile = specAs(false);

/** A spec that must be as it is, whatever the object says. */
export const reconcileMandatorySpec: Reconcile = specAs(true);

/** These keys of a ConfigMap; others belong to others. */
export const reconcileData: Reconcile = (existing, expected) => {
  const data = { ...(existing['data'] as object | undefined), ...(expected['data'] as object) };
  return semanticEqual(data, existing['data']) ? undefined : update({ ...existing, data });
};

/** These fields as they should be; metadata stays. */
export const reconcileFields =
  (...fields: readonly string[]): Reconcile =>
  (existing, expected) => {
    const changed = fields.filter(field => !semanticEqual(existing[field], expected[field]));
    if (changed.length === 0) return undefined;
    return update({ ...existing, ...Object.fromEntries(changed.map(field => [field, expected[field]])) });
  };
