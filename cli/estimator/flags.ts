/** Reads the flags of karmada-scheduler-estimator. */
import fs from 'node:fs';
import type { Endpoint } from '../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import type { ServerTls } from '../../scheduler/estimators/grpc/server.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from '../flags/flags.js';
import { gateFlag, parseGates } from '../flags/karmada/gates.js';
import { ignoredFlags } from '../flags/ignored.js';
import { parsePort } from '../flags/listen-address.js';
import { logFlags, type LogSettings, parseLogging } from '../flags/log.js';
import { type ProbeAddresses, parseProbes, probeFlags } from '../flags/probe.js';
import { parseRequestRate } from '../flags/request-rate.js';

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
  'kube-api-qps': {
    type: 'string',
    value: 'N',
    default: '20',
    help: 'Requests per second to the member, without watches; 0: no limit',
  },
  'kube-api-burst': { type: 'number', value: 'N', default: 30, help: 'Requests to the member that may come at once' },
  parallelism: { type: 'number', value: 'N', default: 16, help: 'Accepted without effect: estimates share one thread' },
  ...probeFlags({ health: ':10351', metrics: ':8080' }),
  'feature-gates': gateFlag('; ResourceQuotaEstimate and SchedulingOvercommitProtection have an effect'),
  ...logFlags,
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

/** The flags with those of Karmada that have no effect. */
export const acceptedFlags = { ...ignoredFlags, ...estimatorFlags };

type Values = FlagValues<typeof estimatorFlags>;

export interface EstimatorProcessSettings {
  readonly cluster: string;
  readonly endpoint: Endpoint;
  /** The rate of requests to the member; undefined: no limit. */
  readonly rate: TokenRate | undefined;
  readonly port: number;
  readonly tls: ServerTls | undefined;
  readonly probes: ProbeAddresses;
  readonly gates: FeatureGates;
  readonly logging: LogSettings;
}

function readFile(flag: string, file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw invalidFlag(flag, file, (error as Error).message);
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
    throw invalidFlag('kubeconfig', kubeconfig, (error as Error).message);
  }
}

/** Throws UsageError. */
export function parseEstimatorProcess(values: Values): EstimatorProcessSettings {
  if (values['cluster-name'] === '') throw new UsageError('--cluster-name is required');
  if (values.parallelism < 1) throw invalidFlag('parallelism', values.parallelism, 'must be greater than 0');
  return {
    cluster: values['cluster-name'],
    endpoint: parseEndpoint(values),
    rate: parseRequestRate('kube-api', values),
    port: parsePort('server-port', values['server-port']),
    tls: parseTls(values),
    probes: parseProbes(values),
    gates: parseGates(values['feature-gates']),
    logging: parseLogging(values),
  };
}
