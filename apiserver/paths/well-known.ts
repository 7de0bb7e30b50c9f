/** Serves the documents that relying parties need to verify service account tokens. */
import { documentsCacheControl, keySetMediaType } from '../../authn/identity/service-account/documents.js';
import { answer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

const document =
  (type: string, value: () => Promise<object>): Filter =>
  async request =>
    answer(request, 200, type, Buffer.from(JSON.stringify(await value())), {
      'cache-control': documentsCacheControl,
    });

export const openIdConfiguration = (configuration: () => Promise<object>): Filter =>
  document('application/json', configuration);

export const jsonWebKeys = (keySet: () => Promise<object>): Filter => document(keySetMediaType, keySet);
