/** The ConfigMap from which joining clients learn the server and its authority, with a signature per bootstrap token. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const clusterInfoKey = { namespace: 'kube-public', name: 'cluster-info' } as const;
/** The key of the kubeconfig in its data. */
export const clusterInfoKubeconfig = 'kubeconfig';
/** The beginning of the keys of signatures; the id of the token follows. */
export const signatureKeyPrefix = 'jws-kubeconfig-';

/**
 * Returns the JWS of a text (RFC 7515 Appendix F) without the text: HS256 with the secret of a token, which `kid` names.
 * as staging/src/k8s.io/cluster-bootstrap/token/jws ComputeDetachedSignature
 */
export function detachedSignature(
  text: string,
  { id, secret }: { readonly id: string; readonly secret: string },
): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const signed = `${header}.${Buffer.from(text).toString('base64url')}`;
  return `${header}..${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Returns whether a detached signature is that of the text with a token. */
export function isSignedWith(
  signature: string,
  text: string,
  token: { readonly id: string; readonly secret: string },
): boolean {
  const [given, wanted] = [Buffer.from(signature), Buffer.from(detachedSignature(text, token))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
