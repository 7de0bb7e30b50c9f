/** Request bodies (HTTP-040, HTTP-088..091): bytes in a media type become an object of the kind that the path is about. */
import type { KubeObject } from '../../openapi/interface.js';
import { badRequest, unsupportedMediaType } from '../../openapi/meta/status.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import type { Request } from '../http/request.js';
import { acceptedTypes } from '../negotiate/accept.js';
import { duplicateFields, parseJson } from '../negotiate/json-text.js';
import { parseYaml } from '../negotiate/yaml.js';
import { isCustom, type Route } from './route.js';

/** HTTP-070. */
export const maxBody = 3 * 1024 * 1024;

/** The media type of a Content-Type header, without its parameters; '' when there is none. */
export function mediaType(header: string | undefined): string {
  if (header === undefined) return '';
  const semicolon = header.indexOf(';');
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

/** A body that was read: its value, and what a strict reader has against it. */
export interface ReadBody {
  readonly value: unknown;
  /** Repeated fields, each a complete text. For YAML they are one block of lines. */
  readonly strict: readonly string[];
}

/** Why bytes are no object at all, as the two readers say it. */
export class UnreadableBody extends Error {}

function readJson(bytes: Buffer, checked: boolean): ReadBody {
  const text = bytes.toString();
  const parsed = parseJson(text);
  if (parsed.type === 'error') throw new UnreadableBody(parsed.text);
  const twice = checked ? duplicateFields(text, parsed.value) : [];
  return { value: parsed.value, strict: twice.map(path => `duplicate field "${path}"`) };
}

const yamlHead = 'yaml: unmarshal errors:';

function readYaml(bytes: Buffer, checked: boolean): ReadBody {
  const parsed = parseYaml(bytes.toString());
  if (parsed.type === 'error') throw new UnreadableBody(`error converting YAML to JSON: ${parsed.text}`);
  if (!checked || parsed.duplicates.length === 0) return { value: parsed.value, strict: [] };
  const lines = parsed.duplicates.map(({ key, line }) => `  line ${line}: key "${key}" already set in map`);
  return { value: parsed.value, strict: [[yamlHead, ...lines].join('\n')] };
}

/** Reads JSON or YAML. Throws UnreadableBody. `checked`: look for repeated fields. */
export function readText(bytes: Buffer, type: 'json' | 'yaml', checked: boolean): ReadBody {
  return type === 'json' ? readJson(bytes, checked) : readYaml(bytes, checked);
}

/** What a strict reader found, as warnings: a block of YAML lines is one each. as apiserver/pkg/endpoints/handlers/rest.go parseYAMLWarnings */
export function warnStrict(request: Request, strict: readonly string[]): void {
  for (const text of strict) {
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

const metaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const jsonType = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;

/** Why a value has no kind; undefined when it may have one. as apimachinery/pkg/runtime/serializer/json/meta.go Interpret */
function noKind(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value))
    return `json: cannot unmarshal ${jsonType(value)} into Go value of type ${metaStruct}`;
  const { apiVersion, kind } = value as Record<string, unknown>;
  for (const [field, given] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const)
    if (given !== undefined && given !== null && typeof given !== 'string')
      return `json: cannot unmarshal ${jsonType(given)} into Go struct field .${field} of type string`;
  return undefined;
}

/** What an endpoint takes. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  readonly custom: boolean;
}

export const expectedOf = (route: Route): Expected => ({
  apiVersion: route.apiVersion,
  kind: route.definition.kind,
  group: route.definition.group,
  custom: isCustom(route.definition),
});

/** Go's name of a group's internal package. */
const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? ''));

/** `Secret in version "v1" cannot be handled as a ConfigMap: ...` as apiserver/pkg/endpoints/handlers/rest.go transformDecodeError */
export function cannotHandle(object: { apiVersion: string; kind: string }, expected: Expected, why: string): Error {
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  return badRequest(`${object.kind} in version "${version}" cannot be handled as a ${expected.kind}: ${why}`);
}

function checkType(object: KubeObject, expected: Expected): void {
  if (object.apiVersion === expected.apiVersion && object.kind === expected.kind) return;
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  if (object.kind !== expected.kind && !expected.custom) {
    const types = `(${version}.${object.kind}) to (${internalPackage(expected.group)}.${expected.kind})`;
    throw cannotHandle(object, expected, `converting ${types}: unknown conversion`);
  }
  throw badRequest(
    `the API version in the data (${object.apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  );
}

/** An object of the expected type, from a value that was read. What the value leaves out of its type is filled in. */
export function typed(value: unknown, expected: Expected): KubeObject {
  const object = (value ?? {}) as KubeObject;
  object.apiVersion ||= expected.apiVersion;
  object.kind ||= expected.kind;
  checkType(object, expected);
  return object;
}

/** The format of a body; 415 when it is none that we read. */
export function bodyFormat(request: Request): 'json' | 'yaml' {
  const type = mediaType(request.header('content-type'));
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  throw unsupportedMediaType(acceptedTypes);
}

/** The value of a body, which must be an object that may have a kind. */
export function decodeBody(
  bytes: Buffer,
  format: 'json' | 'yaml',
  expected: Expected,
  validation: FieldValidation,
): ReadBody {
  const refuse = (why: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): couldn't get version/kind; json parse error: ${why} (${summary(bytes)})`,
    );
  let read: ReadBody;
  try {
    read = readText(bytes, format, validation !== 'Ignore');
  } catch (error) {
    if (error instanceof UnreadableBody) throw refuse(error.message);
    throw error;
  }
  const why = noKind(read.value);
  if (why !== undefined) throw refuse(why);
  return read;
}
