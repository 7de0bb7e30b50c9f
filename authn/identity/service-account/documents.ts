/** Builds what others need to verify the tokens of this server: its OpenID configuration and its keys. */
import type { JsonWebKey } from 'node:crypto';
import { publicJwk, type VerificationKey } from './keys.js';

export const openIdConfigurationPath = '/.well-known/openid-configuration';
export const keySetPath = '/openid/v1/jwks';
export const keySetMediaType = 'application/jwk-set+json';
/** Both documents; keys must be published this long before they sign. */
export const documentsCacheControl = 'public, max-age=3600';

export const keySet = (keys: readonly VerificationKey[]): { readonly keys: readonly JsonWebKey[] } => ({
  keys: keys.map(publicJwk),
});

/** `keySetUrl`: where this server answers `keySetPath`. */
export const openIdConfiguration = (issuer: string, keySetUrl: string, keys: readonly VerificationKey[]): object => ({
  issuer,
  jwks_uri: keySetUrl,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(keys.map(key => key.algorithm.name))].sort(),
});
