/** Builds the documents for verifying this server's tokens: its OpenID configuration and its keys. */
import type { JsonWebKey } from 'node:crypto';
import { publicJwk, type VerificationKey } from './keys.js';

export const openIdConfigurationPath = '/.well-known/openid-configuration';
export const keySetPath = '/openid/v1/jwks';
export const keySetMediaType = 'application/jwk-set+json';
/** For both documents. A key must be published for this long before it signs. */
export const documentsCacheControl = 'public, max-age=3600';

/** Returns the JSON Web Key Set of the keys that verify tokens. The private keys are not in it. as pkg/serviceaccount publicJWKSFromKeys */
export const keySet = (keys: readonly VerificationKey[]): { readonly keys: readonly JsonWebKey[] } => ({
  keys: keys.map(publicJwk),
});

/** `keySetUrl`: the URL at which this server serves `keySetPath`. */
export const openIdConfiguration = (issuer: string, keySetUrl: string, keys: readonly VerificationKey[]): object => ({
  issuer,
  jwks_uri: keySetUrl,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(keys.map(key => key.algorithm))].sort(),
});
