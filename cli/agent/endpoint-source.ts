/** Where the credentials of a server come from: a kubeconfig, or the account of the Pod. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Endpoint } from '../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { kubeconfigFault } from '../kubeconfig-fault.js';

/** Reads an endpoint anew: its credentials may have been replaced. Throws when they cannot be read. */
export type EndpointSource = () => Endpoint;

/** Where a Pod finds the token of its account and the CA of its cluster. as client-go/rest InClusterConfig */
const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the source of an endpoint in a kubeconfig, which is read at each call. `context`: '' for the current one. */
export const endpointInFile =
  (file: string, context: string): EndpointSource =>
  () => {
    try {
      return kubeconfigEndpoint(file, context === '' ? undefined : context);
    } catch (error) {
      const fault = kubeconfigFault(error, file);
      throw fault === undefined ? error : new ExpectedError(fault);
    }
  };

function podEndpoint(host: string, port: string): Endpoint {
  const read = (name: string): string => fs.readFileSync(path.join(accountDirectory, name), 'utf8');
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return { server: `https://${shownHost}:${port}`, token: read('token').trim(), ca: read('ca.crt') };
}

/**
 * Returns the source for the cluster in which the agent runs: the kubeconfig, that of the variable KUBECONFIG, the account of the Pod, or the
 * kubeconfig in the home folder, whichever comes first. as controller-runtime/pkg/client/config GetConfig
 */
export function clusterEndpointSource(file: string, context: string, env: NodeJS.ProcessEnv): EndpointSource {
  if (file !== '') return endpointInFile(file, context);
  const fromVariable = env['KUBECONFIG']?.split(path.delimiter).find(each => each !== '');
  if (fromVariable !== undefined) return endpointInFile(fromVariable, context);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host && port && context === '') return () => podEndpoint(host, port);
  return endpointInFile(path.join(os.homedir(), '.kube', 'config'), context);
}
