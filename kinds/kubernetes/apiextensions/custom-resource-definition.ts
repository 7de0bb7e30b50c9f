import { completeDefinition, definitionStatus, definitionStrategy } from '../../../registry/dynamic/crd-strategy.js';
import { plainPrinter } from '../../../registry/printer.js';
import type { NativeKind } from '../native-kind.js';
import { fromV1beta1, toV1beta1 } from './v1beta1.js';

export const customResourceDefinition: NativeKind = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  storagePrefix: '/registry/apiextensions.k8s.io/customresourcedefinitions',
  printer: plainPrinter,
  strategy: definitionStrategy,
  readStored: fromV1beta1,
  writeStored: toV1beta1,
  defaults: completeDefinition,
  subresources: { status: definitionStatus },
};
