/** /openapi/v2 and /openapi/v3 (HTTP-124, HTTP-125). */
import type { Publications } from '../../openapi/publish/interface.js';
import { answer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { send } from '../http/send.js';
import type { ResponseHeaders } from '../interface.js';
import { parseAccept } from '../negotiate/accept.js';
import { knows } from './discovery.js';

/** Whether the client reads JSON; these documents have no other form here. */
function readsJson(request: Request): boolean {
  const accept = request.header('accept') ?? '';
  if (accept === '') return true;
  return parseAccept(accept).some(
    ({ type, subtype }) =>
      (type === '*' || type === 'application') &&
      (subtype === '*' || subtype === 'json' || subtype === 'json; charset=utf-8'),
  );
}

const year = 365 * 24 * 3600 * 1000;

/** A document that never changes under its address. */
const forever = (): ResponseHeaders => ({
  'cache-control': 'public, immutable',
  expires: new Date(Date.now() + year).toUTCString(),
});

async function sendDocument(
  request: Request,
  document: { readonly json: Buffer; readonly hash: string },
  type: string,
  more: ResponseHeaders,
): Promise<void> {
  if (!readsJson(request)) return answer(request, 406, undefined, undefined);
  const etag = `"${document.hash}"`;
  const headers = { etag, vary: 'Accept-Encoding, Accept', ...more };
  if (knows(request, etag)) return answer(request, 304, undefined, undefined, headers);
  await send(request, 200, type, document.json, headers);
}

export const openApiV2 =
  (documents: Publications, started: Date): Filter =>
  request =>
    sendDocument(request, documents.openApiV2(), 'application/json', { 'last-modified': started.toUTCString() });

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
