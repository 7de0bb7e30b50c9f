/** What relying parties need to verify our service account tokens (HTTP-012). */
import { answer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

export interface TokenIssuer {
  readonly issuer: string;
  /** Where the keys are served. */
  readonly jwksUri: string;
  /** Names of signature algorithms of the keys. */
  readonly algorithms: readonly string[];
  /** The public keys, as a JSON Web Key Set. */
  readonly keys: () => unknown;
}

const hour = { 'cache-control': 'public, max-age=3600' };

export const openIdConfiguration = ({ issuer, jwksUri, algorithms }: TokenIssuer): Filter => {
  const body = Buffer.from(
    JSON.stringify({
      issuer,
      jwks_uri: jwksUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }),
  );
  return request => answer(request, 200, 'application/json', body, { ...hour });
};

export const jsonWebKeys =
  ({ keys }: TokenIssuer): Filter =>
  request =>
    answer(request, 200, 'application/jwk-set+json', Buffer.from(JSON.stringify(keys())), { ...hour });
