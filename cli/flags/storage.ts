/** Reads the storage settings: `--storage`, and kube-apiserver's flags for an etcd. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { StorageConfig } from '../../server/config.js';
import { storageOf } from './data-directory.js';
import { parseDurationFlag } from './durations.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from './flags.js';

export const storageFlags = {
  storage: {
    type: 'string',
    value: 'KIND',
    default: 'embedded',
    help: '"embedded", or "etcd=URL,..." to share an etcd with other processes',
  },
  'etcd-servers': { type: 'list', value: 'URL,...', help: 'The same as --storage etcd=URL,...' },
  'etcd-prefix': { type: 'string', value: 'PATH', default: '/registry', help: 'Prefix of all keys in etcd' },
  'etcd-cafile': { type: 'string', value: 'FILE', help: 'CA certificates for the certificate of etcd' },
  'etcd-certfile': { type: 'string', value: 'FILE', help: 'Client certificate for etcd' },
  'etcd-keyfile': { type: 'string', value: 'FILE', help: 'Key of the client certificate for etcd' },
  'etcd-username': { type: 'string', value: 'NAME', help: 'User name for etcd (default: the variable ETCD_USERNAME)' },
  'etcd-password-file': {
    type: 'string',
    value: 'FILE',
    help: 'File with the password for etcd (default: the variable ETCD_PASSWORD)',
  },
  'etcd-compaction-interval': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'How long the history is kept in etcd; 0: no compaction by this server',
  },
} as const satisfies FlagTable;

type Values = FlagValues<typeof storageFlags>;
type Environment = Readonly<Record<string, string | undefined>>;

function endpointsOf(values: Values): readonly string[] | undefined {
  const { storage, 'etcd-servers': servers } = values;
  const named = /^etcd=(.+)$/.exec(storage)?.[1]?.split(',');
  if (!named && storage !== 'embedded') throw invalidFlag('storage', storage, 'want "embedded" or "etcd=URL,..."');
  if (named && servers.length > 0) throw new UsageError('give either --storage etcd=URL,... or --etcd-servers');
  const endpoints = named ?? (servers.length > 0 ? servers : undefined);
  for (const endpoint of endpoints ?? []) {
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
      throw invalidFlag(named ? 'storage' : 'etcd-servers', endpoint, 'want http(s)://HOST:PORT');
  }
  return endpoints;
}

async function read(flag: string, file: string): Promise<Buffer> {
  try {
    return await fs.readFile(file);
  } catch (error) {
    throw new UsageError(`--${flag} ${file} cannot be read: ${(error as Error).message}`);
  }
}

async function tlsOf(values: Values): Promise<{ ca?: Buffer; cert?: Buffer; key?: Buffer } | undefined> {
  const { 'etcd-cafile': ca, 'etcd-certfile': cert, 'etcd-keyfile': key } = values;
  if ((cert === '') !== (key === '')) throw new UsageError('--etcd-certfile and --etcd-keyfile belong together');
  if (ca === '' && cert === '') return undefined;
  return {
    ...(ca !== '' && { ca: await read('etcd-cafile', ca) }),
    ...(cert !== '' && { cert: await read('etcd-certfile', cert), key: await read('etcd-keyfile', key) }),
  };
}

async function authOf(
  values: Values,
  environment: Environment,
): Promise<{ username: string; password: string } | undefined> {
  const username = values['etcd-username'] || (environment['ETCD_USERNAME'] ?? '');
  const file = values['etcd-password-file'];
  const password =
    file === '' ? environment['ETCD_PASSWORD'] : (await read('etcd-password-file', file)).toString('utf8').trimEnd();
  if (username === '' && file === '') return undefined;
  if (username === '') throw new UsageError('--etcd-password-file needs --etcd-username');
  if (password === undefined) throw new UsageError('--etcd-username needs --etcd-password-file or ETCD_PASSWORD');
  return { username, password };
}

/** Reads the storage configuration and the named files. Throws UsageError. */
export async function parseStorage(
  values: Values,
  directory: string,
  environment: Environment,
): Promise<StorageConfig> {
  const endpoints = endpointsOf(values);
  if (!endpoints) return { type: 'embedded', directory: storageOf(directory) };
  const tls = await tlsOf(values);
  const auth = await authOf(values, environment);
  return {
    type: 'etcd',
    etcd: {
      endpoints,
      registryPrefix: path.posix.join('/', values['etcd-prefix']).replace(/\/$/, ''),
      compactionIntervalMs: parseDurationFlag('etcd-compaction-interval', values['etcd-compaction-interval']),
      ...(tls && { tls }),
      ...(auth && { auth }),
    },
  };
}
