import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Layout } from '../../../../registry/pipeline/stored/interface.js';

/** The layout of ConfigMaps, as of a native kind, without a schema. */
export const configMapLayout: Layout = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  keys: 'declared',
  itemsCarryType: false,
  *canonicalSteps(object) {
    yield;
    return { ...object, metadata: { ...object.metadata } };
  },
  parse: bytes => JSON.parse(bytes.toString()) as KubeObject,
  normalize: object => object,
  freeze: true,
};
