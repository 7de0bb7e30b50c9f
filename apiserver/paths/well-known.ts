/** What relying parties need to verify our service account tokens (HTTP-012). */
import { answer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

const hour = { 'cache-control': 'public, max-age=3600' };

const document =
  (type: string, value: () => object): Filter =>
  request =>
    answer(request, 200, type, Buffer.from(JSON.stringify(value())), { ...hour });

export const openIdConfiguration = (configuration: () => object): Filter => document('application/json', configuration);

export const jsonWebKeys = (keySet: () => object): Filter => document('application/jwk-set+json', keySet);
