/** Decodes request bodies: from bytes in a media type to an object of the kind that the endpoint expects. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { nativeSchema } from '../../openapi/facts/native-schemas.js';
import { convertibility } from '../../openapi/facts/convertibility.js';
import { goQuote } from '../../lib/go/go-text.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import type { InSteps } from '../../lib/time-slice.js';
import { badRequest, invalid, unsupportedMediaType } from '../../apimachinery/errors/status.js';
import { shortened } from '../../apimachinery/errors/limits.js';
import { refuseManyValues, ValueBudget } from '../../apimachinery/meta/values.js';
import { canonicalInSteps } from '../../apimachinery/codec/canonical.js';
import { coerceObjectSteps } from '../../openapi/schema/coerce.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { customSteps, decodeNative, nativeSteps, type DecodedObject } from '../../apimachinery/codec/decode.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { type TypeMeta, typeInSteps } from '../../apimachinery/codec/type-meta.js';
import type { Request } from '../http/request.js';
import { acceptedTypes, type Format, mediaTypes } from '../negotiate/accept.js';
import { protobufInSteps } from '../negotiate/protobuf/envelope.js';
import { WireError } from '../../lib/protobuf/reader.js';
import { type YamlJson, yamlHead } from '../negotiate/yaml-json.js';

type BodyFormat = Format;

/** Returns the media type of a Content-Type header, without its parameters; '' when there is none. */
export function mediaType(header: string | undefined): string {
  if (header === undefined) return '';
  const semicolon = header.indexOf(';');
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

const token = "[!#$%&'*+.^_`|~\\w-]+";
const parameters = new RegExp(`^(?:\\s*;\\s*${token}\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*"))*\\s*;?\\s*$`);

/** Returns the format of a body. Throws 415 for an unsupported type and, as mime.ParseMediaType, for an invalid parameter. */
export function bodyFormat(request: Request): BodyFormat {
  const header = request.header('content-type') ?? '';
  const type = mediaType(header);
  if (header === '' || header === mediaTypes.json) return 'json';
  const semicolon = header.indexOf(';');
  if (semicolon >= 0 && !parameters.test(header.slice(semicolon))) throw unsupportedMediaType(acceptedTypes);
  if (type === mediaTypes.json) return 'json';
  if (type === mediaTypes.yaml) return 'yaml';
  if (type === mediaTypes.protobuf) return 'protobuf';
  throw unsupportedMediaType(acceptedTypes);
}

/** A body as it was sent; a YAML body with its JSON. */
export type ReceivedBody =
  | { readonly format: 'json' | 'protobuf'; readonly bytes: Buffer }
  | { readonly format: 'yaml'; readonly bytes: Buffer; readonly yaml: YamlJson };

/** Returns the JSON of a YAML body. Throws DecodeError for invalid YAML. */
export function jsonOfYaml(yaml: YamlJson): Extract<YamlJson, { type: 'json' }> {
  if (yaml.type === 'error') throw new DecodeError(yaml.text);
  return yaml;
}

/**
 * Adds the faults of strict decoding as warnings; each line of a YAML fault is one warning. as apiserver/pkg/endpoints/handlers/rest.go
 * parseYAMLWarnings
 */
export function warnStrict(request: Request, faults: readonly string[]): void {
  for (const text of faults) {
    if (!text.startsWith(yamlHead)) request.warn(text);
    else for (const line of text.split('\n').slice(1)) request.warn(line.trim());
  }
}

/** as apiserver/pkg/endpoints/handlers/rest.go summarizeData */
function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const text = bytes.subarray(0, 30).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${text} ...` : text;
}

/** The type that an endpoint expects. */
export interface ExpectedType extends TypeMeta {
  readonly group: string;
  readonly schema: Schema;
  readonly custom: boolean;
  /** Another apiVersion of the kind that is accepted, too. */
  readonly alternative?: string;
}

const versionOf = ({ apiVersion }: TypeMeta): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** Returns the error `Secret in version "v1" cannot be handled as a ConfigMap: ...` as apiserver/pkg/endpoints/handlers/rest.go transformDecodeError */
function cannotHandle(given: TypeMeta, expected: ExpectedType, why: string): Error {
  return badRequest(
    `${given.kind} in version ${goQuote(versionOf(given))} cannot be handled as a ${expected.kind}: ${why}`,
  );
}

const otherVersion = (given: TypeMeta, expected: ExpectedType): Error =>
  badRequest(
    `the API version in the data (${given.apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  );

/** Throws an Invalid Status for a wrong kind, as the validation of custom resources does; 400 for a wrong version. */
function checkCustomType(given: TypeMeta, expected: ExpectedType, name: string): void {
  if (given.apiVersion !== expected.apiVersion) throw otherVersion(given, expected);
  const fault = invalidValue('kind', given.kind, `must be ${expected.kind}`);
  if (given.kind !== expected.kind) throw invalid({ group: expected.group, kind: given.kind }, name, [fault]);
}

function checkType(given: TypeMeta, expected: ExpectedType, name = ''): void {
  const { apiVersion } = given;
  if (given.kind === expected.kind && (apiVersion === expected.apiVersion || apiVersion === expected.alternative))
    return;
  if (expected.custom) return checkCustomType(given, expected, name);
  const mismatch = convertibility(given, expected);
  if (mismatch.type === 'version') throw otherVersion(given, expected);
  throw cannotHandle(given, expected, mismatch.why);
}

let metadataSchema: Schema | undefined;
const objectMeta = (): Schema => (metadataSchema ??= nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));

/** Reads a custom resource. Unknown fields are pruned, and returned as faults. */
function* readCustom(json: string, expected: ExpectedType): InSteps<DecodedObject> {
  const { object, faults, floats } = yield* customSteps(json);
  yield;
  const filled = { ...object, apiVersion: object['apiVersion'] ?? '', kind: object['kind'] ?? '' };
  const unknown = yield* coerceObjectSteps(filled, expected.schema, { objectMeta: objectMeta() });
  const all = [...faults, ...unknown.map(path => `unknown field ${goQuote(path)}`)];
  return { object: filled, faults: all, ...(floats && { floats }) };
}

const unrecognized = (expected: ExpectedType, bytes: Buffer, why: string): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summary(bytes)})`);

function* readProtobuf(bytes: Buffer, expected: ExpectedType): InSteps<KubeObject> {
  if (expected.custom) throw unsupportedMediaType(acceptedTypes.filter(type => type !== mediaTypes.protobuf));
  try {
    const object = (yield* protobufInSteps(bytes, expected, new ValueBudget())) as KubeObject;
    checkType(object, expected);
    object.apiVersion = expected.apiVersion;
    return (yield* canonicalInSteps<KubeObject>(object, expected.schema)).object;
  } catch (error) {
    if (error instanceof WireError || error instanceof DecodeError) throw unrecognized(expected, bytes, error.message);
    throw error;
  }
}

/**
 * Returns the object in a body, with its kind and apiVersion set, and the faults of strict decoding. Throws 413 for an object with too many
 * values, 400 for other errors. `isLarge` divides the parsing of JSON into steps. hot: a valid body is parsed once; only for an invalid one the order
 * follows in which Go finds errors.
 */
export function* decodeObject(
  body: ReceivedBody,
  expected: ExpectedType,
  isLarge: boolean,
): InSteps<DecodedObject & { object: KubeObject }> {
  const { bytes, format } = body;
  if (format === 'protobuf') return { object: yield* readProtobuf(bytes, expected), faults: [] };
  let json = '';
  let faults: readonly string[] = [];
  let type: TypeMeta | undefined;
  try {
    if (body.format === 'yaml') ({ json, faults } = jsonOfYaml(body.yaml));
    else json = bytes.toString();
    refuseManyValues(json);
    if (isLarge) yield;
    let read: DecodedObject;
    if (expected.custom) read = yield* readCustom(json, expected);
    else read = isLarge ? yield* nativeSteps(json, expected.schema) : decodeNative(json, expected.schema);
    const object = read.object as KubeObject;
    if (!expected.custom) {
      object.apiVersion ||= expected.apiVersion;
      object.kind ||= expected.kind;
    } else if (object.kind === '')
      throw unrecognized(expected, bytes, `Object 'Kind' is missing in '${shortened(bytes.toString())}'`);
    type = object;
    object.metadata ??= {};
    checkType(object, expected, object.metadata.name);
    object.apiVersion = expected.apiVersion;
    return { ...read, object, faults: [...faults, ...read.faults] };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    yield;
    type ??= yield* typeOfUnreadable(body, json, expected);
    checkType(type, expected);
    throw cannotHandle(type, expected, error.message);
  }
}

/** Returns the type that an invalid body claims to have. Throws 400 when that cannot be read either. */
function* typeOfUnreadable(body: ReceivedBody, json: string, expected: ExpectedType): InSteps<TypeMeta> {
  try {
    const text = body.format === 'yaml' ? jsonOfYaml(body.yaml).json : json;
    const { apiVersion, kind } = yield* typeInSteps(text);
    return { apiVersion: apiVersion || expected.apiVersion, kind: kind || expected.kind };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unrecognized(expected, body.bytes, error.message);
  }
}

/** Returns the 400 for faults of strict decoding if fieldValidation is Strict. */
export function refuseStrict(object: KubeObject, expected: ExpectedType, faults: readonly string[]): Error {
  return cannotHandle(object, expected, `strict decoding error: ${faults.join(', ')}`);
}
