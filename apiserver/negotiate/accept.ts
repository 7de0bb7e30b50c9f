/**
 * Negotiates the representation of an answer: matches the Accept header with what an endpoint can write.
 * as apiserver/pkg/endpoints/handlers/negotiation NegotiateOutputMediaType
 */
import { memoizeByText } from '../../lib/collections/memoize-by-text.js';

export type Format = 'json' | 'yaml' | 'protobuf';
type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** The form of an answer. */
export interface Representation {
  readonly format: Format;
  readonly pretty: boolean;
  /** The transformation of the answer; undefined when there is none. */
  readonly as: Transform | undefined;
  /** The version of meta.k8s.io for the transformation. */
  readonly version: 'v1' | 'v1beta1';
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly q: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The representations that an endpoint supports. `convert` reports whether it supports a target; undefined means no transformation. */
export interface Representations {
  readonly formats: readonly Format[];
  readonly convert: (target: ConversionTarget | undefined, format: Format) => boolean;
}

export interface ConversionTarget {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** The names of all media types, in the order of error messages. */
export const acceptedTypes: readonly string[] = Object.values(mediaTypes);
export const acceptedStreamTypes: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

function clauseOf(part: string): Clause | undefined {
  const [range = '', ...rest] = part.split(';');
  const name = range.trim();
  const slash = name.indexOf('/');
  if (slash < 0 && name !== '*') return undefined;
  const parameters: Record<string, string> = {};
  let q = 1;
  for (const piece of rest) {
    const equals = piece.indexOf('=');
    if (equals < 0) continue;
    const key = piece.slice(0, equals).trim();
    const value = piece.slice(equals + 1).trim();
    if (key === 'q') q = Number.isNaN(Number(value)) ? 1 : Number(value);
    else parameters[key] = value;
  }
  return {
    type: slash < 0 ? '*' : name.slice(0, slash),
    subtype: slash < 0 ? '*' : name.slice(slash + 1),
    q,
    parameters,
  };
}

/** as github.com/munnerz/goautoneg: higher q first, then more specific types, otherwise in the order of the header. */
function precedes(a: Clause, b: Clause): boolean {
  return a.q > b.q || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}

/** differs: upstream reads any number of clauses. */
const maxClauses = 100;

/** Returns the clauses of an Accept header, the preferred ones first. Headers repeat, so the clauses of short ones are cached. */
export const parseAccept = memoizeByText((header): readonly Clause[] =>
  header
    .split(',', maxClauses)
    .map(clauseOf)
    .filter(clause => clause !== undefined)
    .sort((a, b) => (precedes(a, b) ? -1 : precedes(b, a) ? 1 : 0)),
);

function matches(clause: Clause, format: Format): boolean {
  if (clause.type === '*' && clause.subtype === '*') return true;
  const name = mediaTypes[format];
  const slash = name.indexOf('/');
  if (clause.type !== name.slice(0, slash)) return false;
  return clause.subtype === '*' || clause.subtype === name.slice(slash + 1);
}

function target(parameters: Clause['parameters']): ConversionTarget | undefined {
  const { as, g, v } = parameters;
  return as === undefined && g === undefined && v === undefined
    ? undefined
    : { kind: as ?? '', group: g ?? '', version: v ?? '' };
}

const plainJson: Representation = { format: 'json', pretty: false, as: undefined, version: 'v1' };
const prettyJson: Representation = { ...plainJson, pretty: true };

function satisfy(
  clause: Clause,
  format: Format,
  pretty: boolean,
  endpoint: Representations,
): Representation | undefined {
  if (!matches(clause, format)) return undefined;
  const { stream, sv } = clause.parameters;
  if (stream !== undefined && stream !== '' && (stream !== 'watch' || format === 'yaml')) return undefined;
  if (sv !== undefined && sv !== '' && sv !== 'v1') return undefined;
  const requested = target(clause.parameters);
  if (!endpoint.convert(requested, format)) return undefined;
  const wantsPretty = pretty || clause.parameters['pretty'] === '1';
  if (!requested && format === 'json') return wantsPretty ? prettyJson : plainJson;
  return {
    format,
    pretty: wantsPretty,
    as: requested?.kind as Transform | undefined,
    version: requested?.version === 'v1beta1' ? 'v1beta1' : 'v1',
  };
}

/**
 * Returns the representation for the first clause that the endpoint can satisfy; undefined when there is none (406). A wildcard clause selects
 * the first format of the endpoint.
 */
export function negotiate(
  accept: string | undefined,
  pretty: boolean,
  endpoint: Representations,
): Representation | undefined {
  if (accept === undefined || accept === '') return pretty ? prettyJson : plainJson;
  for (const clause of parseAccept(accept))
    for (const format of endpoint.formats) {
      const found = satisfy(clause, format, pretty, endpoint);
      if (found) return found;
    }
  return undefined;
}

const humanAgents = /^(?:curl|Wget|Mozilla\/5\.0)/;
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Reports whether the answer is indented for people. as apiserver/pkg/endpoints/handlers/negotiation isPrettyPrint */
export function wantsPretty(parameter: string | undefined, userAgent: string | undefined): boolean {
  if (parameter !== undefined && parameter !== '') return trueTexts.has(parameter);
  return userAgent !== undefined && humanAgents.test(userAgent);
}

/** Reports whether the header contains one of the types or a wildcard, without regard to parameters: the check of kube-apiserver's router. */
export function mentions(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some(part => {
    const name = (part.split(';', 1)[0] ?? '').trim();
    return name === '*/*' || types.includes(name);
  });
}
