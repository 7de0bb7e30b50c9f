/** Reads how kubelets are reached from kube-apiserver's flags. */
import { preferredAddressTypes } from '../../apiserver/connects/kubelet.js';
import type { KubeletConfig } from '../../server/config.js';
import { parseDurationFlag } from './durations.js';
import { type FlagTable, type FlagValues, UsageError } from './flags.js';
import { readFlagFile } from './read-flag-file.js';

export const kubeletFlags = {
  'kubelet-client-certificate': { type: 'string', value: 'FILE', help: 'Client certificate for kubelets' },
  'kubelet-client-key': { type: 'string', value: 'FILE', help: 'Key of the client certificate for kubelets' },
  'kubelet-certificate-authority': {
    type: 'string',
    value: 'FILE',
    help: 'CA certificates of kubelets; without it their certificates are not verified',
  },
  'kubelet-preferred-address-types': {
    type: 'list',
    value: 'LIST',
    default: preferredAddressTypes,
    help: 'The order in which the types of addresses of a Node are tried',
  },
  'kubelet-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long a kubelet may take to begin its answer',
  },
} as const satisfies FlagTable;

/** Throws UsageError. */
export async function parseKubelets(values: FlagValues<typeof kubeletFlags>): Promise<KubeletConfig> {
  const {
    'kubelet-client-certificate': certificate,
    'kubelet-client-key': key,
    'kubelet-certificate-authority': authority,
  } = values;
  if ((certificate === '') !== (key === ''))
    throw new UsageError('--kubelet-client-certificate and --kubelet-client-key need each other');
  return {
    addressTypes: values['kubelet-preferred-address-types'],
    timeoutMs: parseDurationFlag('kubelet-timeout', values['kubelet-timeout']),
    ...(certificate !== '' && {
      credential: {
        certificate: await readFlagFile('kubelet-client-certificate', certificate),
        key: await readFlagFile('kubelet-client-key', key),
      },
    }),
    ...(authority !== '' && { authority: await readFlagFile('kubelet-certificate-authority', authority) }),
  };
}
