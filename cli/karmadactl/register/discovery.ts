import { setTimeout as pause } from 'node:timers/promises';
import { remote } from '../../../aggregation/remote/client.js';
import { onlyCluster } from '../../../aggregation/remote/kubeconfig.js';
import type { Endpoint } from '../../../aggregation/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import {
  clusterInfoKey,
  clusterInfoKubeconfig,
  isSignedWith,
  signatureKeyPrefix,
} from '../../../kinds/kubernetes/bootstrap/cluster-info.js';
import { caPins } from '../ca-pins.js';
import { userAgent } from '../connect.js';

interface DiscoveryOptions {
  /** `https://HOST:PORT` of the control plane. */
  readonly server: string;
  readonly token: { readonly id: string; readonly secret: string };
  /** Pins of authorities, as `caPins` returns them; empty: every authority is trusted that the token has signed. */
  readonly pins: readonly string[];
  readonly timeoutMs: number;
  /** Called with the reason when the first attempt has failed: others follow until the timeout. */
  readonly onWait: (why: string) => void;
}

const retryMs = 1000;

/** Reads cluster-info without credentials until it has a signature of the token. The signer adds that shortly after the token was created. */
async function readClusterInfo(
  endpoint: Endpoint,
  { token, timeoutMs, onWait }: DiscoveryOptions,
): Promise<KubeObject> {
  const client = remote(endpoint, { userAgent });
  const deadline = Date.now() + timeoutMs;
  try {
    for (let attempt = 1; ; attempt++) {
      let why: string;
      try {
        const map = await client.get(configMaps, clusterInfoKey);
        if (dataOf(map)[signatureKeyPrefix + token.id] !== undefined) return map;
        why =
          `the cluster-info of ${endpoint.server} has no signature of the token ${token.id}: it does not exist, has expired, or may not sign; ` +
          '"karmadactl token create" creates a new one';
      } catch (error) {
        why = `cluster-info cannot be read from ${endpoint.server}: ${errorText(error)}`;
      }
      if (Date.now() + retryMs > deadline) throw new Error(why);
      if (attempt === 1) onWait(why);
      await pause(retryMs);
    }
  } finally {
    await client.close();
  }
}

const dataOf = (map: KubeObject): Readonly<Record<string, string>> => (map['data'] ?? {}) as Record<string, string>;

/**
 * Returns the certificate authority of the control plane, in PEM. It is trusted since cluster-info has a signature of the token and, unless there are
 * no pins, one of the pins is that of the authority. Rejects if one of these does not hold. as Karmada's pkg/karmadactl/register
 * retrieveValidatedConfigInfo
 */
export async function discoverAuthority(options: DiscoveryOptions): Promise<string> {
  const { server, token, pins } = options;
  const first = dataOf(await readClusterInfo({ server, insecureSkipVerify: true }, options));
  const text = first[clusterInfoKubeconfig] ?? '';
  if (!isSignedWith(first[signatureKeyPrefix + token.id] ?? '', text, token))
    throw new Error("failed to verify JWS signature of received cluster info object, can't trust this API Server");
  const { ca = '' } = onlyCluster(text, 'the kubeconfig in cluster-info');
  if (pins.length === 0) return ca;
  const found = caPins(ca);
  if (!found.some(pin => pins.includes(pin)))
    throw new Error(`cluster CA found in cluster-info ConfigMap is invalid: its hash is ${found.join(', ')}`);
  // The authority is known now, so that a server between may not change the answer.
  const second = dataOf(await readClusterInfo({ server, ca }, options));
  if (second[clusterInfoKubeconfig] !== text)
    throw new Error('the second kubeconfig from cluster-info (using validated TLS) was different from the first');
  return ca;
}
