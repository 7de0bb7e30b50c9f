import { type StatusError, failure } from '../../apimachinery/errors/status.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { isCustom } from './route.js';

/** What kube-apiserver's router says before a handler is asked; its texts are not the handlers'. */
const refusal = (code: number, reason: string, message: string): StatusError =>
  failure(code, reason, `${code}: ${message}`, {});

/** Returns 406: no clause of the Accept header names a type that the route produces. */
export const routerNotAcceptable = (types: readonly string[]): StatusError =>
  refusal(406, 'NotAcceptable', `Not Acceptable\n\nAvailable representations: ${types.join(', ')}`);

/** Returns 415: the route does not consume this Content-Type. */
export const routerUnsupportedMediaType = (): StatusError =>
  refusal(415, 'UnsupportedMediaType', 'Unsupported Media Type');

const notThat = (wanted: string, is: string, goType: string): StatusError =>
  failure(406, 'NotAcceptable', `you requested ${wanted}, but the requested object is ${is} (${goType})`);

/** Go's name of the type that a kind has inside of kube-apiserver. */
const goType = ({ storageGroup, group }: ResourceDefinition, kind: string): string =>
  `*${(storageGroup ?? group).split('.')[0] || 'core'}.${kind}`;

/** Returns 406: a list has no form as one object's metadata. */
export const listIsNoObject = (definition: ResourceDefinition): StatusError =>
  notThat(
    'PartialObjectMetadata',
    'a list',
    isCustom(definition) ? '*unstructured.UnstructuredList' : goType(definition, definition.listKind),
  );

/** Nor has one object a form as the metadata of a list. */
export const objectIsNoList = (definition: ResourceDefinition): StatusError =>
  notThat(
    'PartialObjectMetadataList',
    'not a list',
    isCustom(definition) ? '*unstructured.Unstructured' : goType(definition, definition.kind),
  );
