import { type StatusError, failure } from '../../apimachinery/errors/status.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { isCustom } from './route.js';

/** Returns an error of kube-apiserver's router, which runs before the handlers and has texts of its own. */
const refusal = (code: number, reason: string, message: string): StatusError =>
  failure(code, reason, `${code}: ${message}`, {});

/** Returns 406: no clause of the Accept header names a type that the route produces. */
export const routerNotAcceptable = (types: readonly string[]): StatusError =>
  refusal(406, 'NotAcceptable', `Not Acceptable\n\nAvailable representations: ${types.join(', ')}`);

/** Returns 415: the route does not consume this Content-Type. */
export const routerUnsupportedMediaType = (): StatusError =>
  refusal(415, 'UnsupportedMediaType', 'Unsupported Media Type');

const wrongForm = (requested: string, actual: string, goType: string): StatusError =>
  failure(406, 'NotAcceptable', `you requested ${requested}, but the requested object is ${actual} (${goType})`);

/** Returns the name of the Go type that a kind has inside of kube-apiserver. */
const goType = ({ storageGroup, group }: ResourceDefinition, kind: string): string =>
  `*${(storageGroup ?? group).split('.')[0] || 'core'}.${kind}`;

/** Returns 406 for a list that was requested as the metadata of one object. */
export const listIsNoObject = (definition: ResourceDefinition): StatusError =>
  wrongForm(
    'PartialObjectMetadata',
    'a list',
    isCustom(definition) ? '*unstructured.UnstructuredList' : goType(definition, definition.listKind),
  );

/** Returns 406 for an object that was requested as the metadata of a list. */
export const objectIsNoList = (definition: ResourceDefinition): StatusError =>
  wrongForm(
    'PartialObjectMetadataList',
    'not a list',
    isCustom(definition) ? '*unstructured.Unstructured' : goType(definition, definition.kind),
  );
