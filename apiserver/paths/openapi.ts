/** /openapi/v2 and /openapi/v3 (HTTP-124, HTTP-125). */
import type { Publications } from '../../openapi/publish/interface.js';
import { answer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { send } from '../http/send.js';
import type { ResponseHeaders } from '../interface.js';
import { parseAccept } from '../negotiate/accept.js';
import { knows } from './discovery.js';

const protobuf = 'com.github.proto-openapi.spec.v2';

/** The form of OpenAPI v2 that a client reads: client-go asks for protobuf alone. */
function formOf(request: Request): 'json' | 'protobuf' | undefined {
  const accept = request.header('accept') ?? '';
  if (accept === '') return 'json';
  for (const { type, subtype } of parseAccept(accept)) {
    if (type !== '*' && type !== 'application') continue;
    if (subtype === '*' || subtype === 'json') return 'json';
    if (subtype.startsWith(`${protobuf}@`) || subtype.startsWith(`${protobuf}.`)) return 'protobuf';
  }
  return undefined;
}

const year = 365 * 24 * 3600 * 1000;

/** A document that never changes under its address. */
const forever = (): ResponseHeaders => ({
  'cache-control': 'public, immutable',
  expires: new Date(Date.now() + year).toUTCString(),
});

async function sendTagged(
  request: Request,
  hash: string,
  type: string,
  body: () => Buffer,
  more: ResponseHeaders,
): Promise<void> {
  const etag = `"${hash}"`;
  const headers = { etag, vary: 'Accept-Encoding, Accept', ...more };
  if (knows(request, etag)) return answer(request, 304, undefined, undefined, headers);
  await send(request, 200, type, body(), headers);
}

async function sendDocument(
  request: Request,
  { json, hash }: { readonly json: Buffer; readonly hash: string },
  type: string,
  more: ResponseHeaders,
): Promise<void> {
  if (formOf(request) !== 'json') return answer(request, 406, undefined, undefined);
  await sendTagged(request, hash, type, () => json, more);
}

export const openApiV2 =
  (documents: Publications, started: Date): Filter =>
  request => {
    const form = formOf(request);
    if (!form) return answer(request, 406, undefined, undefined);
    const { json, hash } = documents.openApiV2();
    const type = form === 'json' ? 'application/json' : `application/${protobuf}.v1.0+protobuf`;
    const body = (): Buffer => (form === 'json' ? json : documents.openApiV2Protobuf());
    return sendTagged(request, hash, type, body, { 'last-modified': started.toUTCString() });
  };

const root = '/openapi/v3';

export function openApiV3(documents: Publications): Filter {
  return request => {
    const { path } = request.info;
    if (path === root || path === `${root}/`)
      return sendDocument(request, documents.openApiV3Index(), 'text/plain; charset=utf-8', {});
    const place = path.slice(root.length + 1);
    const document = documents.openApiV3(place);
    if (!document) return answer(request, 404, undefined, undefined);
    const hash = request.query.get('hash') ?? '';
    if (hash === '' || hash === document.hash)
      return sendDocument(request, document, 'application/json', hash === '' ? {} : forever());
    answer(request, 301, undefined, undefined, { location: `${root}/${place}?hash=${document.hash}` });
  };
}
