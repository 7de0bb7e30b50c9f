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

/** The names of the contexts of a kubeconfig file, in their order. Throws when there is no such file. */
export function kubeconfigContexts(file: string): readonly string[] {
  return read(file).contexts?.map(({ name }) => name) ?? [];
}

/**
 * How to reach the server of a context of a kubeconfig file; without a name, of its current one. Files that it names stand
 * beside it. Throws a plain error that names the file and what is missing in it.
 */
export function kubeconfigEndpoint(file: string, contextName?: string): Endpoint {
  const document = read(file);
  const wanted = contextName ?? document['current-context'] ?? '';
  const context = find(document.contexts, wanted)?.context;
  if (!context) throw new Error(`context "${wanted}" does not exist in ${file}`);
  const cluster = find(document.clusters, context.cluster)?.cluster;
  if (!cluster?.server) throw new Error(`cluster "${context.cluster}" has no server in ${file}`);
  const user = find(document.users, context.user ?? '')?.user ?? {};
  const text = (data: string | undefined, beside: string | undefined): string | undefined =>
    data ? Buffer.from(data, 'base64').toString('utf8') : beside ? readBeside(file, beside) : undefined;
  const ca = text(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const clientCertificate = text(user['client-certificate-data'], user['client-certificate']);
  const clientKey = text(user['client-key-data'], user['client-key']);
  const token = user.token ?? (user.tokenFile ? readBeside(file, user.tokenFile).trim() : undefined);
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

/** Throws an error of one line that names the file when it is none. */
function read(file: string): Document {
  const read = readYaml(fs.readFileSync(file, 'utf8'));
  if (read.type === 'error') throw new Error(`${file} is no kubeconfig: ${read.text}`);
  const document = read.value;
  if (document !== null && (typeof document !== 'object' || Array.isArray(document)))
    throw new Error(`${file} is no kubeconfig`);
  return document ?? {};
}

const readBeside = (file: string, name: string): string =>
  fs.readFileSync(path.resolve(path.dirname(file), name), 'utf8');

const find = <T extends Named>(list: readonly T[] | undefined, name: string): T | undefined =>
  list?.find(item => item.name === name);
