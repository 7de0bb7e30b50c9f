import type { NativeKind } from '../native-kind.js';

export const customResourceDefinition: NativeKind = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  storagePrefix: '/registry/apiextensions.k8s.io/customresourcedefinitions',
};
