/** Conversions between `apiVersion`, GroupVersionKind and GroupVersionResource, and keys for maps. */
import type { GroupVersionKind, GroupVersionResource } from '../interface.js';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Parses `apps/v1` or `v1`; undefined if there is more than one slash. as schema.ParseGroupVersion */
export function readApiVersion(apiVersion: string): GroupVersion | undefined {
  if (apiVersion === '' || apiVersion === '/') return { group: '', version: '' };
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Parses an apiVersion. Throws a plain Error with upstream's text. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const found = readApiVersion(apiVersion);
  if (!found) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  return found;
}

/** Returns an apiVersion: `apps/v1`, `v1`. */
export function apiVersionOf(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Returns the type of an object. Throws a plain Error if its apiVersion has more than one slash. */
export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  const { group, version } = parseApiVersion(object.apiVersion); // hot: a spread is slow
  return { group, version, kind: object.kind };
}

/** Returns `apps/v1, Kind=Deployment`, as Go prints a GroupVersionKind; also a key for maps. */
export function gvkText(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;
}

/** Returns `apps/v1, Resource=deployments`, as Go prints a GroupVersionResource; also a key for maps. */
export function gvrText(gvr: GroupVersionResource): string {
  return `${gvr.group}/${gvr.version}, Resource=${gvr.resource}`;
}

/** Returns the key of an object within its resource: `namespace/name`, or `name` without a namespace. as client-go/tools/cache ObjectName.String */
export function namespacedName(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1, '': 2 };

function versionRank(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!parts) return undefined;
  const [, major, stage = '', minor = '0'] = parts;
  return [stages[stage] ?? 0, Number(major), Number(minor)];
}

/** Sorts versions, most preferred first: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by name. as apimachinery/pkg/version */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [versionRank(a), versionRank(b)];
  if (x && y) return y[0] - x[0] || y[1] - x[1] || y[2] - x[2];
  if (!x && !y) return a < b ? -1 : a > b ? 1 : 0;
  return x ? -1 : 1;
}
