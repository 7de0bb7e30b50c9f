/** Reads how certificates are signed from kube-controller-manager's flags. */
import { errorText } from '../../apimachinery/errors/error-text.js';
import { type Authority, loadAuthority } from '../../authn/pki/authority.js';
import {
  clientSigner,
  kubeletClientSigner,
  kubeletServingSigner,
  legacyUnknownSigner,
} from '../../api/kubernetes/well-known.js';
import { parseDurationFlag } from './durations.js';
import { type FlagTable, type FlagValues, UsageError } from './flags.js';
import { readFlagFile } from './read-flag-file.js';

const file = (help: string) => ({ type: 'string', value: 'FILE', help }) as const;
const certificate = (signer: string) => file(`Certificate of the authority for ${signer}, and no others`);
const key = (signer: string) => file(`Key of the authority for ${signer}`);

export const signingFlags = {
  'cluster-signing-duration': {
    type: 'string',
    value: 'DURATION',
    default: '8760h0m0s',
    help: 'Validity of signed certificates; a request may ask for less',
  },
  'cluster-signing-cert-file': file('Certificate of the authority that signs requests (default: the own authority)'),
  'cluster-signing-key-file': file('Key of the authority that signs requests'),
  'cluster-signing-kubelet-serving-cert-file': certificate(kubeletServingSigner),
  'cluster-signing-kubelet-serving-key-file': key(kubeletServingSigner),
  'cluster-signing-kubelet-client-cert-file': certificate(kubeletClientSigner),
  'cluster-signing-kubelet-client-key-file': key(kubeletClientSigner),
  'cluster-signing-kube-apiserver-client-cert-file': certificate(clientSigner),
  'cluster-signing-kube-apiserver-client-key-file': key(clientSigner),
  'cluster-signing-legacy-unknown-cert-file': certificate(legacyUnknownSigner),
  'cluster-signing-legacy-unknown-key-file': key(legacyUnknownSigner),
} as const satisfies FlagTable;

export interface SigningSettings {
  /** The validity of certificates in milliseconds, if a request does not ask for less. */
  readonly validityMs: number;
  /** The authorities by the names of signers; undefined: all signers use that of the control plane. */
  readonly authorities?: ReadonlyMap<string, Authority>;
}

type Values = FlagValues<typeof signingFlags>;

/** Signers by the part of the flags' names that stands for them. */
const signers = [
  ['kubelet-serving', kubeletServingSigner],
  ['kubelet-client', kubeletClientSigner],
  ['kube-apiserver-client', clientSigner],
  ['legacy-unknown', legacyUnknownSigner],
] as const;

type Pair = readonly [certificateFlag: keyof Values, keyFlag: keyof Values];

const sharedPair: Pair = ['cluster-signing-cert-file', 'cluster-signing-key-file'];
const pairOf = (name: (typeof signers)[number][0]): Pair => [
  `cluster-signing-${name}-cert-file`,
  `cluster-signing-${name}-key-file`,
];

const isGiven = (values: Values, pair: Pair): boolean => pair.some(flag => values[flag] !== '');

async function read(values: Values, [certificateFlag, keyFlag]: Pair): Promise<Authority> {
  if (values[certificateFlag] === '' || values[keyFlag] === '')
    throw new UsageError(`--${certificateFlag} and --${keyFlag} need each other`);
  const credential = {
    certificate: await readFlagFile(certificateFlag, values[certificateFlag]),
    key: await readFlagFile(keyFlag, values[keyFlag]),
  };
  try {
    return loadAuthority(credential);
  } catch (error) {
    throw new UsageError(`the files of --${certificateFlag} and --${keyFlag} cannot be used: ${errorText(error)}`);
  }
}

/** Throws UsageError. as cmd/kube-controller-manager/app/certificates.go */
export async function parseSigning(values: Values): Promise<SigningSettings> {
  const validityMs = parseDurationFlag('cluster-signing-duration', values['cluster-signing-duration']);
  if (validityMs === 0) throw new UsageError('--cluster-signing-duration must be positive');
  const own = signers.filter(([name]) => isGiven(values, pairOf(name)));
  const isShared = isGiven(values, sharedPair);
  if (isShared && own.length > 0)
    throw new UsageError(`--${sharedPair[0]} cannot be used with files for single signers`);
  if (!isShared && own.length === 0) return { validityMs };
  const authorities = new Map<string, Authority>();
  if (isShared) {
    const authority = await read(values, sharedPair);
    for (const [, signer] of signers) authorities.set(signer, authority);
  }
  for (const [name, signer] of own) authorities.set(signer, await read(values, pairOf(name)));
  return { validityMs, authorities };
}
