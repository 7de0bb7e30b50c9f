/** Builds kube-system/extension-apiserver-authentication, which tells extension servers which authorities this server trusts. */
import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { pem, pemBlocks } from '../../apimachinery/x509/pem.js';
import { expected, type Expected } from './expected.js';
import { reconcileData, type Reconcile } from './reconcile.js';

export interface Trust {
  /** PEM of the authorities of client certificates. */
  readonly clientAuthority: string;
  /** PEM of the authorities of front proxies. */
  readonly frontProxyAuthority: string;
  readonly allowedNames: readonly string[];
}

const headers = {
  'requestheader-username-headers': ['X-Remote-User'],
  'requestheader-uid-headers': ['X-Remote-Uid'],
  'requestheader-group-headers': ['X-Remote-Group'],
  'requestheader-extra-headers-prefix': ['X-Remote-Extra-'],
};

type Data = Readonly<Record<string, string>>;
const dataOf = (object: KubeObject): Data => (object['data'] as Data | undefined) ?? {};

/** Returns the distinct certificates of all bundles that have not expired. */
function mergeBundles(bundles: readonly string[], now: Date): string {
  const all = new Map(
    bundles
      .flatMap(pemBlocks)
      .filter(({ label, headed }) => label === 'CERTIFICATE' && !headed)
      .map(({ der }) => [der.toString('base64'), der] as const),
  );
  const valid = [...all.values()].filter(der => now < new Date(new X509Certificate(der).validTo));
  return valid.map(der => pem('CERTIFICATE', der)).join('');
}

/** Returns the names of a JSON list; none when another writer has stored something else. */
function listOf(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(name => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds to the existing data and removes nothing: other servers on the same store may trust other authorities. */
const merged =
  (now: Date): Reconcile =>
  (existing, wanted) => {
    const [old, own] = [dataOf(existing), dataOf(wanted)];
    const both = Object.entries(own).map(([key, value]) => [
      key,
      key.endsWith('-ca-file')
        ? mergeBundles([old[key] ?? '', value], now)
        : JSON.stringify([...new Set([...listOf(old[key]), ...listOf(value)])]),
    ]);
    return reconcileData(existing, { ...wanted, data: Object.fromEntries(both) });
  };

/** Returns the ConfigMap. One that exists keeps what its lists have, except certificates that have expired at `now`. */
export const trustConfigMap = (trust: Trust, now: Date): Expected =>
  expected(
    'configmaps',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
      data: {
        'client-ca-file': trust.clientAuthority,
        'requestheader-client-ca-file': trust.frontProxyAuthority,
        'requestheader-allowed-names': JSON.stringify(trust.allowedNames),
        ...Object.fromEntries(Object.entries(headers).map(([key, names]) => [key, JSON.stringify(names)])),
      },
    },
    merged(now),
  );
