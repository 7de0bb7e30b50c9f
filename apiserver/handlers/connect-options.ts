/** What a request to connect asks for, as an object of its kind: what admission sees. */
import type { GroupVersionKind, KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { isTrue } from '../http/request-info.js';
import type { Query } from '../interface.js';

type Read = (query: Query, rest: string) => Record<string, unknown>;

const flag = (query: Query, name: string): Record<string, boolean> => (isTrue(query.get(name)) ? { [name]: true } : {});

/** Streams come back unless told otherwise, which nobody can. */
const streams = (query: Query): Record<string, unknown> => {
  const container = query.get('container') ?? '';
  return {
    ...{ ...flag(query, 'stdin'), stdout: true, stderr: true, ...flag(query, 'tty') },
    ...(container !== '' && { container }),
  };
};

/** The path goes with the query: that is for whoever is behind. */
const proxied: Read = (_query, rest) => (rest === '' ? {} : { path: rest });

const readers: Readonly<Record<string, Read>> = {
  PodAttachOptions: streams,
  PodExecOptions: query => {
    const command = query.all('command');
    return { ...streams(query), command: command.length > 0 ? command : null };
  },
  PodPortForwardOptions: query => {
    const ports = query.all('ports').flatMap(list => list.split(',').map(Number).filter(Number.isInteger));
    return ports.length > 0 ? { ports } : {};
  },
  PodProxyOptions: proxied,
  ServiceProxyOptions: proxied,
  NodeProxyOptions: proxied,
  ClusterProxyOptions: proxied,
};

/** Undefined: nothing is connected to (logs are read). `rest`: what follows the subresource in the path. */
// as pkg/apis/core/v1 Convert_url_Values_To_v1_PodExecOptions, SetDefaults_PodExecOptions
export function connectOptions(kind: GroupVersionKind, query: Query, rest: string): KubeObject | undefined {
  const read = readers[kind.kind];
  if (!read) return undefined;
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...read(query, rest) } as KubeObject;
}
