/** The schema of metadata for the merge of custom resources: which lists are maps, sets or atomic. */
import type { Schema } from '../../codec/interface.js';

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const number: Schema = { type: 'integer', format: 'int64' };
const texts: Schema = { type: 'object', additionalProperties: text };

const ownerReference: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: { type: 'string', default: '' },
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const managedFieldsEntry: Schema = {
  type: 'object',
  properties: {
    manager: text,
    operation: text,
    apiVersion: text,
    time,
    fieldsType: text,
    fieldsV1: { type: 'object' },
    subresource: text,
  },
};

export const objectMetaShapes: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: number,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: number,
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    managedFields: { type: 'array', items: managedFieldsEntry, 'x-kubernetes-list-type': 'atomic' },
  },
};
