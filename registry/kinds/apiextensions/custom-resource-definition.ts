import { completeDefinition, definitionStatus, definitionStrategy } from '../../dynamic/crd-strategy.js';
import { plainPrinter } from '../shared/printer.js';
import type { NativeKind } from '../native-kind.js';

export const customResourceDefinition: NativeKind = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  storagePrefix: '/registry/apiextensions.k8s.io/customresourcedefinitions',
  printer: plainPrinter,
  strategy: definitionStrategy,
  defaults: completeDefinition,
  subresources: { status: definitionStatus },
};
