/** Serves the documents that relying parties need to verify service account tokens. */
import { documentsCacheControl, keySetMediaType } from '../../authn/identity/service-account/documents.js';
import { answer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';

const document =
  (type: string, value: () => Promise<object>): RequestFilter =>
  async request =>
    answer(request, 200, type, Buffer.from(JSON.stringify(await value())), {
      'cache-control': documentsCacheControl,
    });

/** Answers the discovery of the issuer of service account tokens. as pkg/routes OpenIDMetadataServer */
export const serveOpenIdConfiguration = (configuration: () => Promise<object>): RequestFilter =>
  document('application/json', configuration);

/** Answers the public keys of service account tokens, by which others verify them. as pkg/routes OpenIDMetadataServer */
export const jsonWebKeys = (keySet: () => Promise<object>): RequestFilter => document(keySetMediaType, keySet);
