import type { Schema } from '../../apimachinery/codec/interface.js';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const anything = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** The native types whose JSON is not that of their Go struct. */
export const scalarTypes: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { scalar: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    format: 'int-or-string',
    scalar: 'intOrString',
    'x-kubernetes-int-or-string': true,
  },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object', scalar: 'rawExtension', ...anything },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': { scalar: 'json', ...anything },
  [`${meta}.Duration`]: { type: 'string', scalar: 'duration' },
  [`${meta}.FieldsV1`]: { type: 'object', scalar: 'fieldsV1', ...anything },
  [`${meta}.MicroTime`]: { type: 'string', format: 'date-time', scalar: 'microTime' },
  [`${meta}.Patch`]: { type: 'object', ...anything },
  [`${meta}.Time`]: { type: 'string', format: 'date-time', scalar: 'time' },
};
