import { nativeTypeName } from '../facts/native-schemas.js';
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import type { ServedResource } from './group-versions.js';

/** Returns the name of the component of a type of meta/v1. */
export const metaType = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;

/** Returns the name with the group reversed: `stable.example.com/v1 CronTab` -> `com.example.stable.v1.CronTab`. */
// as apiextensions-apiserver/pkg/controller/openapi/builder gvkToModelName
function reversedName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** Returns the name of a kind's component: with the Go package for native kinds, with the reversed group for others. */
export function componentName(kind: GroupVersionKind): string {
  return nativeTypeName(kind) ?? reversedName(kind);
}

/** Returns the kind of the objects of a served resource. */
export const ownKind = ({ resource, version }: ServedResource): GroupVersionKind => ({
  group: resource.group,
  version: version.name,
  kind: resource.kind,
});

/** Returns the kind of the lists of a served resource. */
export const listKind = ({ resource, version }: ServedResource): GroupVersionKind => ({
  group: resource.group,
  version: version.name,
  kind: resource.listKind,
});
