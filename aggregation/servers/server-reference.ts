import { createHash } from 'node:crypto';
import type { APIService } from '../../api/kubernetes/apiregistration.js';

/** Where the server of an APIService is, and how its certificate is verified. */
export interface ServerReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The name that the certificate must have. */
  readonly serverName: string;
  /** PEM; '' for the root certificates of the system. */
  readonly authority: string;
  readonly isInsecure: boolean;
  /** A text that is equal for references to the same server with the same settings. */
  readonly id: string;
}

/** Returns the reference of an APIService; undefined if it is local. as kube-aggregator/pkg/controllers/status/remote BuildTransportConfig */
export function serverReference({ spec = {} }: APIService): ServerReference | undefined {
  if (!spec.service) return undefined;
  const { namespace = '', name = '', port = 443 } = spec.service;
  const { caBundle = '', insecureSkipTLSVerify: isInsecure = false } = spec;
  const authority = Buffer.from(caBundle, 'base64').toString('latin1').trim();
  const id = createHash('sha256')
    .update(JSON.stringify([namespace, name, port, isInsecure, authority]))
    .digest('base64');
  return { namespace, name, port, serverName: `${name}.${namespace}.svc`, authority, isInsecure, id };
}
