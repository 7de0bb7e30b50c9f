/** Serves /openapi/v2 and /openapi/v3. */
import type { Publications } from '../../openapi/publish/interface.js';
import { answer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { sendBody } from '../http/send.js';
import type { ResponseHeaders } from '../interface.js';
import { parseAccept } from '../negotiate/accept.js';
import { matchesEtag } from './discovery.js';
import type { Maybe } from '../../lib/maybe.js';

type Version = 'v2' | 'v3';
const protobufOf = (version: Version): string => `com.github.proto-openapi.spec.${version}`;

/** Returns the form that a client accepts; undefined when there is none. client-go accepts version 2 only in protobuf. */
function formOf(request: Request, version: Version): 'json' | 'protobuf' | undefined {
  const accept = request.header('accept') ?? '';
  if (accept === '') return 'json';
  const protobuf = protobufOf(version);
  for (const { type, subtype } of parseAccept(accept)) {
    if (type !== '*' && type !== 'application') continue;
    if (subtype === '*' || subtype === 'json') return 'json';
    if (subtype === `${protobuf}@v1.0+protobuf` || subtype === `${protobuf}.v1.0+protobuf`) return 'protobuf';
  }
  return undefined;
}

const typeOf = (form: 'json' | 'protobuf', version: Version): string =>
  form === 'json' ? 'application/json' : `application/${protobufOf(version)}.v1.0+protobuf`;

const year = 365 * 24 * 3600 * 1000;

/** Returns the headers of a document whose URL contains its hash, so that it never changes. */
const immutableHeaders = (): ResponseHeaders => ({
  'cache-control': 'public, immutable',
  expires: new Date(Date.now() + year).toUTCString(),
});

/** The current version of a document. */
interface Tagged {
  readonly hash: string;
  readonly type: string;
  readonly body: () => Maybe<Uint8Array>;
  readonly extraHeaders?: ResponseHeaders;
}

/** Returns a function for the modification time of a document in milliseconds: when the path was first requested with this hash. */
function modifications(): (path: string, hash: string) => number {
  const known = new Map<string, { readonly hash: string; readonly since: number }>();
  return (path, hash) => {
    const last = known.get(path);
    if (last?.hash === hash) return last.since;
    const since = Math.floor(Date.now() / 1000) * 1000;
    known.set(path, { hash, since });
    return since;
  };
}

/** Reports whether the client has the document. as net/http ServeContent: an ETag takes precedence over a time. */
function isUnmodified(request: Request, etag: string, since: number): boolean {
  if (request.header('if-none-match') !== undefined) return matchesEtag(request, etag);
  return since <= Date.parse(request.header('if-modified-since') ?? '');
}

type Send = (request: Request, document: Tagged) => Promise<void>;

function sender(): Send {
  const modified = modifications();
  return async (request, { hash, type, body, extraHeaders }) => {
    const etag = `"${hash}"`;
    const since = modified(request.info.path, hash);
    const times = { 'last-modified': new Date(since).toUTCString() };
    const headers = { etag, vary: 'Accept-Encoding, Accept', ...times, ...extraHeaders };
    if (isUnmodified(request, etag, since)) return answer(request, 304, undefined, undefined, headers);
    const bytes = await body();
    await sendBody(request, 200, type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), headers);
  };
}

/** Returns the filter that serves /openapi/v2. */
export function openApiV2(documents: Publications): RequestFilter {
  const sendTagged = sender();
  return async request => {
    const form = formOf(request, 'v2');
    if (!form) return answer(request, 406, undefined, undefined);
    const { json, hash } = await documents.openApiV2();
    const body = (): Maybe<Uint8Array> => (form === 'json' ? json : documents.openApiV2Protobuf());
    return sendTagged(request, { hash, type: typeOf(form, 'v2'), body });
  };
}

const root = '/openapi/v3';
const noBytes = Buffer.alloc(0);

/** Returns the filter that serves /openapi/v3 and the documents below it. The index is always JSON, with the media type text/plain, as upstream. */
export function openApiV3(documents: Publications): RequestFilter {
  const sendTagged = sender();
  return async request => {
    const { path } = request.info;
    if (path === root || path === `${root}/`) {
      const { json, hash } = await documents.openApiV3Index();
      return sendTagged(request, { hash, type: 'text/plain; charset=utf-8', body: () => json });
    }
    const name = path.slice(root.length + 1);
    const document = await documents.openApiV3(name);
    if (!document) return answer(request, 404, undefined, undefined);
    const form = formOf(request, 'v3');
    if (!form) return answer(request, 406, undefined, undefined);
    const hash = request.query.get('hash') ?? '';
    if (hash !== '' && hash !== document.hash)
      return answer(request, 301, undefined, undefined, { location: `${root}/${name}?hash=${document.hash}` });
    const body = (): Maybe<Uint8Array> =>
      form === 'json' ? document.json : (documents.openApiV3Protobuf(name) ?? noBytes);
    const tagged: Tagged = { hash: document.hash, type: typeOf(form, 'v3'), body };
    return sendTagged(request, hash === '' ? tagged : { ...tagged, extraHeaders: immutableHeaders() });
  };
}
