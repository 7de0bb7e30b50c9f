/** Serves /api, /api/VERSION, /apis, /apis/GROUP and /apis/GROUP/VERSION. */
import { notAcceptable } from '../../apimachinery/errors/status.js';
import type { Publications } from '../../openapi/publish/interface.js';
import { answer, answerValue, pageNotFound } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { sendBody } from '../http/send.js';
import {
  acceptedTypes,
  type Representations,
  type Format,
  mediaTypes,
  negotiate,
  type ConversionTarget,
} from '../negotiate/accept.js';
import { asIs } from '../negotiate/endpoints.js';
import { encodeProtobuf } from '../negotiate/protobuf/envelope.js';

const isAggregated = (target: ConversionTarget): boolean =>
  target.group === 'apidiscovery.k8s.io' && target.version === 'v2' && target.kind === 'APIGroupDiscoveryList';

/** The endpoint of /api and /apis, which also support aggregated discovery. */
const roots: Representations = {
  formats: ['json', 'yaml', 'protobuf'],
  convert: (target, format) =>
    target === undefined ? asIs.formats.includes(format) : format !== 'yaml' && isAggregated(target),
};

const aggregatedType = (format: Format): string =>
  `${mediaTypes[format]};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;

/** The protobuf form of documents, cached for as long as the documents exist. */
const binaries = new WeakMap<object, Buffer>();

function binaryOf(document: Record<string, unknown>): Buffer {
  const binary = binaries.get(document) ?? encodeProtobuf(document);
  binaries.set(document, binary);
  return binary;
}

/** Reports whether If-None-Match contains the quoted hash. */
export function matchesEtag(request: Request, etag: string): boolean {
  const given = request.header('if-none-match');
  return given !== undefined && given.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
}

/** Answers with aggregated discovery. JSON and protobuf both have the ETag of the JSON. */
async function sendAggregated(
  request: Request,
  root: 'api' | 'apis',
  documents: Publications,
  format: Format,
): Promise<void> {
  const { json, hash, document } = documents.aggregated(root);
  const etag = `"${hash}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (matchesEtag(request, etag)) return answer(request, 304, undefined, undefined, headers);
  await sendBody(request, 200, aggregatedType(format), format === 'protobuf' ? binaryOf(document) : json, headers);
}

function mustBeAcceptable(request: Request, endpoint: Representations) {
  const representation = negotiate(request.header('accept'), false, endpoint);
  if (!representation) throw notAcceptable(acceptedTypes);
  return representation;
}

interface DiscoveryDeps {
  readonly documents: Publications;
  /** Returns the HOST:PORT that clients use. */
  readonly serverAddress: () => string;
  /** Returns the error for a version that a group does not have; '' is the core group. */
  readonly unknownVersion: (group: string) => Error;
}

/** Returns the filter that answers these paths and what is below them. Throws 404 for what does not exist, 406 for media types that it has not. */
export function discovery({ documents, serverAddress, unknownVersion }: DiscoveryDeps): RequestFilter {
  return request => {
    const [root = '', group, version, ...more] = request.info.path.split('/').filter(part => part !== '');
    if (more.length > 0) throw pageNotFound();
    if (group === undefined && (root === 'api' || root === 'apis')) {
      const { as, format } = mustBeAcceptable(request, roots);
      if (as !== undefined) return sendAggregated(request, root, documents, format);
      return answerValue(request, 200, root === 'api' ? documents.coreVersions(serverAddress()) : documents.groups());
    }
    const isCore = root === 'api' && version === undefined;
    const found = isCore
      ? documents.resources('', group ?? '')
      : version === undefined
        ? documents.group(group ?? '')
        : documents.resources(group ?? '', version);
    if (!found && (isCore || version !== undefined)) throw unknownVersion(isCore ? '' : (group ?? ''));
    if (!found) throw pageNotFound();
    mustBeAcceptable(request, asIs);
    answerValue(request, 200, found);
  };
}
