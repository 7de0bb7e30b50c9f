/** Shapes of ConfigMaps, and of metadata. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { core, mapOf, metadata, type Shape, times } from './shape.js';

const configMaps = { collection: core('configmaps'), native: true, small: { data: { other: 'x' } } };
const configMap = (more: object): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });
const configMapMeta = (more: object): KubeObject => configMap({ metadata: { ...metadata, ...more } });

export const configMapShapes: readonly Shape[] = [
  {
    name: 'config map/keys',
    ...configMaps,
    make: n =>
      configMap({
        data: mapOf(
          n,
          i => `k${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'config map/binary',
    ...configMaps,
    make: n =>
      configMap({
        binaryData: mapOf(
          n,
          i => `k${i}`,
          () => 'YQ==',
        ),
      }),
  },
  { name: 'config map/one text', ...configMaps, make: n => configMap({ data: { k: 'x'.repeat(n) } }) },
  { name: 'config map/one text of quotes', ...configMaps, make: n => configMap({ data: { k: '"\\\n<'.repeat(n) } }) },
  {
    name: 'config map/bad keys',
    ...configMaps,
    make: n =>
      configMap({
        data: mapOf(
          n,
          i => `${i}!`,
          () => '',
        ),
      }),
  },
  {
    name: 'config map/bad binary',
    ...configMaps,
    make: n =>
      configMap({
        binaryData: mapOf(
          n,
          i => `${i}!`,
          () => '',
        ),
      }),
  },
];

export const metadataShapes: readonly Shape[] = [
  {
    name: 'metadata/labels',
    ...configMaps,
    make: n =>
      configMapMeta({
        labels: mapOf(
          n,
          i => `l${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/bad labels',
    ...configMaps,
    make: n =>
      configMapMeta({
        labels: mapOf(
          n,
          i => `${i}!`,
          () => '-',
        ),
      }),
  },
  {
    name: 'metadata/one bad label',
    ...configMaps,
    make: n => configMapMeta({ labels: { ['!'.repeat(n)]: '!'.repeat(n) } }),
  },
  { name: 'metadata/bad name', ...configMaps, make: n => configMapMeta({ name: 'A.'.repeat(n) }) },
  {
    name: 'metadata/generate name',
    ...configMaps,
    make: n => configMapMeta({ name: '', generateName: 'A.'.repeat(n) }),
  },
  {
    name: 'metadata/annotations',
    ...configMaps,
    make: n =>
      configMapMeta({
        annotations: mapOf(
          n,
          i => `a${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/bad annotations',
    ...configMaps,
    make: n =>
      configMapMeta({
        annotations: mapOf(
          n,
          i => `${i}!`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/owners',
    ...configMaps,
    make: n =>
      configMapMeta({ ownerReferences: times(n, i => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: `u${i}` })) }),
  },
  {
    name: 'metadata/controllers',
    ...configMaps,
    make: n =>
      configMapMeta({
        ownerReferences: times(n, i => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: `u${i}`, controller: true })),
      }),
  },
  {
    name: 'metadata/same owners',
    ...configMaps,
    make: n =>
      configMapMeta({ ownerReferences: times(n, () => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' })) }),
  },
  { name: 'metadata/finalizers', ...configMaps, make: n => configMapMeta({ finalizers: times(n, i => `e.io/f${i}`) }) },
  { name: 'metadata/bad finalizers', ...configMaps, make: n => configMapMeta({ finalizers: times(n, i => `f${i}!`) }) },
  {
    name: 'metadata/managed fields',
    ...configMaps,
    make: n =>
      configMapMeta({
        managedFields: times(n, i => ({
          ...{
            manager: `m${i}`,
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            time: '2026-01-01T00:00:00Z',
          },
          fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
        })),
      }),
  },
  {
    name: 'metadata/one manager',
    ...configMaps,
    make: n =>
      configMapMeta({
        managedFields: [
          {
            ...{
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              time: '2026-01-01T00:00:00Z',
            },
            fieldsV1: {
              'f:data': mapOf(
                n,
                i => `f:k${i}`,
                () => ({}),
              ),
            },
          },
        ],
      }),
  },
];
