/** ResourceInterpreterContext: the request to a webhook, and its response. */
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import type { AggregatedStatusItem, Component, Health } from '../../../api/karmada/types.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { isMap } from '../../../lib/json/is-map.js';
import { jsonText } from '../../../lib/json/json.js';
import { componentsIn, dependenciesIn, requirementsOf } from '../answers/decode.js';
import { interpreterError, field, isInt32, isText, goTypeName, typeFault } from '../answers/fields.js';
import type { DependentReference, Operation, Replicas } from '../interface.js';

/** An operation on an object, with what the operation needs. */
export interface Interpretation {
  readonly operation: Operation;
  readonly object: KubeObject;
  /** The object in the member, for Retain. */
  readonly observed?: KubeObject;
  /** The wanted number, for ReviseReplica. */
  readonly replicas?: number;
  /** The statuses of the members, for AggregateStatus. */
  readonly items?: readonly AggregatedStatusItem[];
}

/** The only version of ResourceInterpreterContext. */
const contextVersion = 'v1alpha1';
const apiVersion = `config.karmada.io/${contextVersion}`;
const kind = 'ResourceInterpreterContext';

/** Why a webhook is not called that accepts no version which is known here. as pkg/resourceinterpreter/customized/webhook/request */
export const unknownVersions =
  'could not create ResourceInterpreterContext objects: webhook does not accept known ResourceInterpreterContext ' +
  `versions (${contextVersion})`;

/** Reports whether a webhook that accepts the versions accepts the context of `contextText`. */
export const acceptsContext = (versions: readonly string[]): boolean => versions.includes(contextVersion);

/** Returns the fields of a request as JSON, but for its uid. Equal interpretations have equal texts. */
export function requestText({ operation, object, observed, replicas = 0, items = [] }: Interpretation): string {
  const { name = '', namespace } = object.metadata;
  const { group, version, kind } = gvkOf(object);
  return jsonText({
    kind: { group, version, kind },
    name,
    ...(namespace && { namespace }),
    ...{ operation, object },
    ...(observed && { observedObject: observed }),
    replicas,
    ...(items.length > 0 && { aggregatedStatus: items }),
  });
}

/** Returns the context with a request. `request` is the result of `requestText`. */
export const contextText = (uid: string, request: string): string =>
  `{"kind":"${kind}","apiVersion":"${apiVersion}","request":{"uid":"${uid}",${request.slice(1)}}`;

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

/** Path of the fields of a response in the errors of Go's decoder. */
const path = 'ResourceInterpreterResponse.response';

/** Throws if the answer names another type than its own. Webhooks that Karmada's library serves name none. */
function requireType(context: JsonObject): void {
  const { apiVersion: version = apiVersion } = field(context, 'apiVersion', kind, isText);
  const { kind: name = kind } = field(context, 'kind', kind, isText);
  if ((version === apiVersion || version === '') && (name === kind || name === '')) return;
  throw interpreterError(`no kind ${goQuote(name)} is registered for version ${goQuote(version)}`);
}

interface ReadContext {
  readonly response: JsonObject;
  /** Why the webhook has not interpreted the object; undefined if it has. */
  readonly refusal: string | undefined;
}

/**
 * Reads the answer to the request with this uid. Throws an ExpectedError if it has no valid response.
 * as pkg/resourceinterpreter/customized/webhook/request VerifyResourceInterpreterContext
 */
export function readContext(answer: unknown, uid: string): ReadContext {
  if (!isMap(answer)) throw typeFault(goTypeName(answer), kind);
  requireType(answer);
  const { response } = field(answer, 'response', kind, isMap);
  if (!response) throw interpreterError('webhook response was absent');
  const { uid: got = '' } = field(response, 'uid', path, isText);
  if (got !== uid) throw interpreterError(`expected response.uid ${goQuote(uid)}, got ${goQuote(got)}`);
  const { successful = false } = field(response, 'successful', path, isFlag);
  return { response, refusal: successful ? undefined : refusalIn(response) };
}

/** as pkg/resourceinterpreter/customized/webhook callHook */
function refusalIn(response: JsonObject): string {
  const { status } = field(response, 'status', path, isMap);
  if (!status) throw interpreterError('webhook require response.status when response.successful is false');
  const { code = 0 } = field(status, 'code', 'RequestStatus', isInt32);
  const { message = '' } = field(status, 'message', 'RequestStatus', isText);
  return `webhook call failed, get status code: ${code}, msg: ${message}`;
}

/** Returns the result of InterpretReplica. */
export function replicasIn(response: JsonObject): Replicas {
  const { replicas } = field(response, 'replicas', path, isInt32);
  if (replicas === undefined) throw interpreterError('webhook returned nil response.replicas');
  const { replicaRequirements } = field(response, 'replicaRequirements', path, isMap);
  return { replicas, requirements: replicaRequirements && requirementsOf(replicaRequirements) };
}

const listIn = (response: JsonObject, name: string): readonly unknown[] =>
  field(response, name, path, Array.isArray)[name] ?? [];

/** Returns the result of InterpretComponent. */
export const componentsInResponse = (response: JsonObject): Promise<Component[]> =>
  componentsIn(listIn(response, 'components'));

/** Returns the result of InterpretDependency. */
export const dependenciesInResponse = (response: JsonObject): Promise<DependentReference[]> =>
  dependenciesIn(listIn(response, 'dependencies'));

/**
 * Returns the result of InterpretStatus. differs: upstream takes any JSON, and fails later when it writes the status, since the schema of a Work asks
 * for an object.
 */
export function statusIn(response: JsonObject): JsonObject {
  const { rawStatus } = field(response, 'rawStatus', path, isMap);
  if (!rawStatus) throw interpreterError('webhook returned nil response.rawStatus');
  return rawStatus;
}

/** Returns the result of InterpretHealth. */
export function healthIn(response: JsonObject): Health {
  const { healthy } = field(response, 'healthy', path, isFlag);
  if (healthy === undefined) throw interpreterError('webhook returned nil response.healthy');
  return healthy ? 'Healthy' : 'Unhealthy';
}

/** The patch in a response. */
export interface ResponsePatch {
  /** Base64; '' for none. */
  readonly patch: string;
  readonly patchType: string | undefined;
}

/** Returns the patch of ReviseReplica, Retain and AggregateStatus. */
export function patchIn(response: JsonObject): ResponsePatch {
  const { patch = '' } = field(response, 'patch', path, isText);
  const { patchType } = field(response, 'patchType', path, isText);
  return { patch, patchType };
}
