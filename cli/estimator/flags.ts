/** Reads the flags of karmada-scheduler-estimator. */
import fs from 'node:fs';
import type { Endpoint } from '../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { type FeatureGates, parseFeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import type { ServerTls } from '../../scheduler/estimators/grpc/server.js';
import { logFormats, logLevels, type LogFormat, type LogLevel } from '../../server/logger.js';
import { didYouMean, type FlagTable, type FlagValues, UsageError } from '../flags.js';
import { ignoredFlags } from '../ignored-flags.js';

export const estimatorFlags = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'Kubeconfig of the member' },
  master: {
    type: 'string',
    value: 'URL',
    help: 'Address of the API server of the member, instead of that in the kubeconfig',
  },
  'cluster-name': { type: 'string', value: 'NAME', help: 'Name of the Cluster object of the member' },
  'server-port': { type: 'number', value: 'PORT', default: 10352, help: 'Port of gRPC' },
  'grpc-auth-cert-file': { type: 'string', value: 'FILE', help: 'Certificate for gRPC; without one it has no TLS' },
  'grpc-auth-key-file': { type: 'string', value: 'FILE', help: 'Private key of the certificate' },
  'grpc-client-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authority that must have signed the certificates of clients',
  },
  'insecure-skip-grpc-client-verify': { type: 'boolean', help: 'Accept clients without a certificate' },
  'kube-api-qps': { type: 'string', value: 'N', default: '20', help: 'Requests per second to the member' },
  'kube-api-burst': { type: 'number', value: 'N', default: 30, help: 'Requests to the member that may come at once' },
  parallelism: { type: 'number', value: 'N', default: 16, help: 'Accepted without effect: estimates share one thread' },
  'metrics-bind-address': {
    type: 'string',
    value: 'HOST:PORT',
    default: ':8080',
    help: 'Address of /metrics; 0: none',
  },
  'health-probe-bind-address': {
    type: 'string',
    value: 'HOST:PORT',
    default: ':10351',
    help: 'Address of /healthz; 0: none',
  },
  'feature-gates': {
    type: 'string',
    value: 'NAME=BOOL,...',
    help: "Karmada's feature gates; ResourceQuotaEstimate and SchedulingOvercommitProtection have an effect",
  },
  'log-level': { type: 'string', value: 'LEVEL', default: 'info', help: `One of ${logLevels.join(', ')}` },
  'log-format': { type: 'string', value: 'FORMAT', default: 'auto', help: `One of ${logFormats.join(', ')}` },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

/** The flags with those of Karmada that have no effect. */
export const acceptedFlags = { ...ignoredFlags, ...estimatorFlags };

type Values = FlagValues<typeof estimatorFlags>;

export interface EstimatorProcessSettings {
  readonly cluster: string;
  readonly endpoint: Endpoint;
  readonly rate: TokenRate;
  readonly port: number;
  readonly tls: ServerTls | undefined;
  /** Absent: not served. */
  readonly metrics: ListenAddress | undefined;
  readonly health: ListenAddress | undefined;
  readonly gates: FeatureGates;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export interface ListenAddress {
  /** Absent: all addresses. */
  readonly host?: string;
  readonly port: number;
}

const invalid = (flag: string, value: string | number, why: string): UsageError =>
  new UsageError(`invalid value "${value}" for --${flag}: ${why}`);

function parsePort(flag: string, port: number): number {
  if (port < 0 || port > 65535) throw invalid(flag, port, 'must be a valid port between 0 and 65535 inclusive');
  return port;
}

/** Throws UsageError. */
export function parseListen(flag: string, text: string): ListenAddress | undefined {
  if (text === '0') return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw invalid(flag, text, 'want HOST:PORT, :PORT or 0');
  const host = bracketed ?? plain ?? '';
  return { ...(host !== '' && { host }), port: parsePort(flag, Number(port)) };
}

/** Throws UsageError. */
export function parseChoice<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const found = known.find(each => each === text);
  if (found === undefined) throw invalid(flag, text, `want one of ${known.join(', ')}${didYouMean(text, known)}`);
  return found;
}

function readFile(flag: string, file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw invalid(flag, file, (error as Error).message);
  }
}

/** Returns undefined without certificate and key, as Karmada serves plain TCP then. as pkg/util/grpcconnection ServerConfig.NewServer */
function parseTls(values: Values): ServerTls | undefined {
  const [cert, key] = [values['grpc-auth-cert-file'], values['grpc-auth-key-file']];
  const ca = values['grpc-client-ca-file'];
  if (cert === '' || key === '') return undefined;
  return {
    cert: readFile('grpc-auth-cert-file', cert),
    key: readFile('grpc-auth-key-file', key),
    ...(ca !== '' && !values['insecure-skip-grpc-client-verify'] && { clientCa: readFile('grpc-client-ca-file', ca) }),
  };
}

function parseEndpoint({ kubeconfig, master }: Values): Endpoint {
  if (kubeconfig === '') throw new UsageError('--kubeconfig is required');
  try {
    const endpoint = kubeconfigEndpoint(kubeconfig);
    return master === '' ? endpoint : { ...endpoint, server: master };
  } catch (error) {
    throw invalid('kubeconfig', kubeconfig, (error as Error).message);
  }
}

function parseRate(values: Values): TokenRate {
  const [text, burst] = [values['kube-api-qps'], values['kube-api-burst']];
  const perSecond = Number(text);
  if (text === '' || !(perSecond > 0)) throw invalid('kube-api-qps', text, 'want a positive number');
  if (burst < 1) throw invalid('kube-api-burst', burst, 'must be positive');
  return { perSecond, burst };
}

/** Throws UsageError. */
export function parseGates(text: string): FeatureGates {
  try {
    return parseFeatureGates(text);
  } catch (error) {
    throw invalid('feature-gates', text, (error as Error).message);
  }
}

/** Throws UsageError. */
export function parseEstimatorProcess(values: Values): EstimatorProcessSettings {
  if (values['cluster-name'] === '') throw new UsageError('--cluster-name is required');
  if (values.parallelism < 1) throw invalid('parallelism', values.parallelism, 'must be greater than 0');
  return {
    cluster: values['cluster-name'],
    endpoint: parseEndpoint(values),
    rate: parseRate(values),
    port: parsePort('server-port', values['server-port']),
    tls: parseTls(values),
    metrics: parseListen('metrics-bind-address', values['metrics-bind-address']),
    health: parseListen('health-probe-bind-address', values['health-probe-bind-address']),
    gates: parseGates(values['feature-gates']),
    logLevel: parseChoice('log-level', values['log-level'], logLevels),
    logFormat: parseChoice('log-format', values['log-format'], logFormats),
  };
}
