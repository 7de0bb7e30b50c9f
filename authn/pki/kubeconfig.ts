/** Writes kubeconfig files. */
import { toBase64 } from '../../apimachinery/codec/base64.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import type { Credential } from './authority.js';

type KubeconfigUser = { readonly credential: Credential } | { readonly token: string };

export interface KubeconfigContext {
  readonly name: string;
  /** `https://HOST:PORT[/path]` */
  readonly server: string;
  /** The PEM of the authorities that verify the server; absent: the server is not verified. */
  readonly authority?: string;
  readonly tlsServerName?: string;
  readonly user: KubeconfigUser;
  readonly namespace?: string;
}

const cluster = (context: KubeconfigContext) => ({
  ...(context.authority === undefined
    ? { 'insecure-skip-tls-verify': true }
    : { 'certificate-authority-data': toBase64(context.authority) }),
  server: context.server,
  ...(context.tlsServerName !== undefined && { 'tls-server-name': context.tlsServerName }),
});

const user = (user: KubeconfigUser) =>
  'token' in user
    ? { token: user.token }
    : {
        'client-certificate-data': toBase64(user.credential.certificate),
        'client-key-data': toBase64(user.credential.key),
      };

/** Returns a kubeconfig with a cluster, user and context per entry, all with the entry's name; the first is current by default. */
export function kubeconfig(contexts: readonly KubeconfigContext[], current = contexts[0]?.name ?? ''): string {
  return writeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: contexts.map(context => ({ name: context.name, cluster: cluster(context) })),
    contexts: contexts.map(({ name, namespace }) => ({
      name,
      context: { cluster: name, ...(namespace !== undefined && { namespace }), user: name },
    })),
    'current-context': current,
    preferences: {},
    users: contexts.map(context => ({ name: context.name, user: user(context.user) })),
  });
}
