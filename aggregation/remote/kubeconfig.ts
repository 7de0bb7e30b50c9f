import fs from 'node:fs';
import path from 'node:path';
import { readYaml } from '../../lib/yaml/read-yaml.js';
import type { Endpoint } from '../interface.js';

interface Named {
  readonly name: string;
}

interface Cluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'proxy-url'?: string;
}

interface User {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly as?: string;
  readonly 'as-groups'?: readonly string[];
}

interface Document {
  readonly clusters?: readonly (Named & { readonly cluster: Cluster })[];
  readonly contexts?: readonly (Named & { readonly context: { readonly cluster: string; readonly user?: string } })[];
  readonly users?: readonly (Named & { readonly user: User })[];
  readonly 'current-context'?: string;
}

/** Returns the names of the contexts of a kubeconfig file, in their order. Throws when the file does not exist. */
export function kubeconfigContexts(file: string): readonly string[] {
  return read(file).contexts?.map(({ name }) => name) ?? [];
}

/**
 * Returns the endpoint of a context of a kubeconfig file; without a name, that of the current context. Paths in it are relative to the file.
 * Throws an Error whose message has the file and the problem.
 */
export function kubeconfigEndpoint(file: string, contextName?: string): Endpoint {
  const document = read(file);
  const name = contextName ?? document['current-context'] ?? '';
  const context = find(document.contexts, name)?.context;
  if (!context) throw new Error(`context "${name}" does not exist in ${file}`);
  const cluster = find(document.clusters, context.cluster)?.cluster;
  if (!cluster?.server) throw new Error(`cluster "${context.cluster}" has no server in ${file}`);
  const user = find(document.users, context.user ?? '')?.user ?? {};
  const text = (data: string | undefined, relativePath: string | undefined): string | undefined =>
    data ? Buffer.from(data, 'base64').toString('utf8') : relativePath ? readRelative(file, relativePath) : undefined;
  const ca = text(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const clientCertificate = text(user['client-certificate-data'], user['client-certificate']);
  const clientKey = text(user['client-key-data'], user['client-key']);
  const token = user.token ?? (user.tokenFile ? readRelative(file, user.tokenFile).trim() : undefined);
  return {
    server: cluster.server,
    ...(ca !== undefined && { ca }),
    ...(cluster['insecure-skip-tls-verify'] && { insecureSkipVerify: true }),
    ...(clientCertificate !== undefined && { clientCertificate }),
    ...(clientKey !== undefined && { clientKey }),
    ...(token !== undefined && { token }),
    ...(user.as && { impersonate: { user: user.as, ...(user['as-groups'] && { groups: user['as-groups'] }) } }),
    ...(cluster['proxy-url'] && { proxyUrl: cluster['proxy-url'] }),
  };
}

/** Reads a kubeconfig file. Throws an Error of one line with the path when it is invalid. */
function read(file: string): Document {
  const read = readYaml(fs.readFileSync(file, 'utf8'));
  if (read.type === 'error') throw new Error(`${file} is no kubeconfig: ${read.text}`);
  const document = read.value;
  if (document !== null && (typeof document !== 'object' || Array.isArray(document)))
    throw new Error(`${file} is no kubeconfig`);
  return document ?? {};
}

const readRelative = (file: string, name: string): string =>
  fs.readFileSync(path.resolve(path.dirname(file), name), 'utf8');

const find = <T extends Named>(list: readonly T[] | undefined, name: string): T | undefined =>
  list?.find(item => item.name === name);
