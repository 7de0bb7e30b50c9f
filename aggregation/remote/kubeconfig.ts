import fs from 'node:fs';
import path from 'node:path';
import { ExpectedError } from '../../lib/logging/cause.js';
import { readKubeconfig, readReceivedKubeconfig } from '../../client/kubeconfig-document.js';
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

/** A kubeconfig has no context of the name, or no current one. */
export class MissingContext extends ExpectedError {
  constructor(name: string, what: string) {
    super(name === '' ? `${what} has no current context` : `context "${name}" does not exist in ${what}`);
  }
}

/** Returns the names of the contexts of a kubeconfig file, in their order. Throws when the file does not exist. */
export function kubeconfigContexts(file: string): readonly string[] {
  return read(file).contexts?.map(({ name }) => name) ?? [];
}

/**
 * Returns the endpoint of a context of a kubeconfig file; without a name, that of the current context. Paths in it are relative to the file.
 * Throws an ExpectedError whose message has the file and the problem.
 */
export const kubeconfigEndpoint = (file: string, contextName?: string): Endpoint =>
  endpointOf(read(file), { what: file, contextName, readFile: name => readRelative(file, name) });

/**
 * Returns the endpoint of the current context of a kubeconfig that is no file. It must not name files: its author would read those of this machine.
 * Throws an ExpectedError whose message has `what`, a description of the kubeconfig, and the problem.
 */
export function parseKubeconfig(text: string, what: string): Endpoint {
  const readFile = (name: string): never => {
    throw new ExpectedError(`${what} names the file ${name}`);
  };
  return endpointOf(readReceivedKubeconfig(text, what), { what, readFile });
}

/**
 * Returns the only cluster of a kubeconfig that is no file, and has no context. Throws an ExpectedError whose message has `what`, a description of the
 * kubeconfig, and the problem.
 */
export function onlyCluster(text: string, what: string): Pick<Endpoint, 'server' | 'ca'> {
  const { clusters = [] }: Document = readReceivedKubeconfig(text, what);
  const [first] = clusters;
  if (first === undefined || clusters.length > 1)
    throw new ExpectedError(`${what} must have one cluster, and has ${clusters.length}`);
  const { server = '', 'certificate-authority-data': data } = first.cluster;
  return { server, ...(data && { ca: Buffer.from(data, 'base64').toString('utf8') }) };
}

/** Returns the name of the cluster of a context of a kubeconfig file; '' for the current context. Throws an ExpectedError. */
export function kubeconfigClusterName(file: string, contextName: string): string {
  const document = read(file);
  const name = contextName || (document['current-context'] ?? '');
  const context = find(document.contexts, name)?.context;
  if (!context) throw new MissingContext(name, file);
  return context.cluster;
}

interface Source {
  /** The description of the kubeconfig for errors. */
  readonly what: string;
  /** Absent: the current context. */
  readonly contextName?: string | undefined;
  /** Reads a file that the kubeconfig names. */
  readonly readFile: (name: string) => string;
}

function endpointOf(document: Document, { what, contextName, readFile }: Source): Endpoint {
  const name = contextName ?? document['current-context'] ?? '';
  const context = find(document.contexts, name)?.context;
  if (!context) throw new MissingContext(name, what);
  const cluster = find(document.clusters, context.cluster)?.cluster;
  if (!cluster?.server) throw new ExpectedError(`cluster "${context.cluster}" has no server in ${what}`);
  const user = find(document.users, context.user ?? '')?.user ?? {};
  const text = (data: string | undefined, relativePath: string | undefined): string | undefined =>
    data ? Buffer.from(data, 'base64').toString('utf8') : relativePath ? readFile(relativePath) : undefined;
  const ca = text(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const clientCertificate = text(user['client-certificate-data'], user['client-certificate']);
  const clientKey = text(user['client-key-data'], user['client-key']);
  const token = user.token ?? (user.tokenFile ? readFile(user.tokenFile).trim() : undefined);
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

/** Reads a kubeconfig file. Throws an ExpectedError of one line with the path when it is invalid. */
const read = (file: string): Document => readKubeconfig(fs.readFileSync(file, 'utf8'), file);

const readRelative = (file: string, name: string): string =>
  fs.readFileSync(path.resolve(path.dirname(file), name), 'utf8');

const find = <T extends Named>(list: readonly T[] | undefined, name: string): T | undefined =>
  list?.find(item => item.name === name);
