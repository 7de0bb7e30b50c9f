/** Builds the options of a request to connect, as the object of its kind that admission gets. */
import type { GroupVersionKind, KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { isTrueParameter } from '../http/request-info.js';
import type { Query } from '../interface.js';

type Read = (query: Query, rest: string) => Record<string, unknown>;

const flag = (query: Query, name: string): Record<string, boolean> =>
  isTrueParameter(query.get(name)) ? { [name]: true } : {};

/** stdout and stderr are always true: the defaults of kube-apiserver override the parameters. */
const streamOptions = (query: Query): Record<string, unknown> => {
  const container = query.get('container') ?? '';
  return {
    ...{ ...flag(query, 'stdin'), stdout: true, stderr: true, ...flag(query, 'tty') },
    ...(container !== '' && { container }),
  };
};

/** Returns the options of a proxy. The parameters are left out: they are for the proxied server. */
const proxyOptions: Read = (_query, rest) => (rest === '' ? {} : { path: rest });

const readers: Readonly<Record<string, Read>> = {
  PodAttachOptions: streamOptions,
  PodExecOptions: query => {
    const command = query.all('command');
    return { ...streamOptions(query), command: command.length > 0 ? command : null };
  },
  PodPortForwardOptions: query => {
    const ports = query.all('ports').flatMap(list => list.split(',').map(Number).filter(Number.isInteger));
    return ports.length > 0 ? { ports } : {};
  },
  PodProxyOptions: proxyOptions,
  ServiceProxyOptions: proxyOptions,
  NodeProxyOptions: proxyOptions,
  ClusterProxyOptions: proxyOptions,
};

/** Returns undefined for kinds that do not connect (logs are read). `rest`: the part of the path after the subresource. */
// as pkg/apis/core/v1 Convert_url_Values_To_v1_PodExecOptions, SetDefaults_PodExecOptions
export function connectOptions(kind: GroupVersionKind, query: Query, rest: string): KubeObject | undefined {
  const read = readers[kind.kind];
  if (!read) return undefined;
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...read(query, rest) } as KubeObject;
}
