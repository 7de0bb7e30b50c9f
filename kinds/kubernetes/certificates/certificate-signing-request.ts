import { legacyUnknownSigner } from '../../../api/kubernetes/well-known.js';
import type { Fault } from '../../../apimachinery/interface.js';
import {
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/faults.js';
import { isEnough } from '../../../apimachinery/errors/limits.js';
import type { AccessPorts } from '../../../registry/access.js';
import type { Prepare, Strategy, Subresource, Validate } from '../../../registry/interface.js';
import { keep, statusPart } from '../../../registry/strategy/parts.js';
import { pathSegmentFaults } from '../../../registry/strategy/metadata.js';
import { changedMetadata } from '../../../registry/strategy/metadata-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import { userInfo } from '../authentication/user-info.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { humanDuration } from '../../../lib/go/duration.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';
import { conditionChangeFaults, conditionFaults, conditionsOf, keepApprovals, stampConditions } from './conditions.js';
import { signerNameFaults } from './signer-name.js';

const certificatesGroup = 'certificates.k8s.io';

/** Sorted, as error texts list them. */
const usages: readonly string[] = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
];

type CertificatePorts = Pick<AccessPorts, 'requestFault' | 'certificateFault'>;

/** Returns bytes in the API's base64 form as text. */
const decoded = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('utf8');

/** Unknown and repeated usages are accepted if the stored object has some. */
function usageFaults(wanted: readonly string[], old: readonly string[] | undefined): Fault[] {
  const path = 'spec.usages';
  const faults = wanted.length === 0 ? [required(path)] : [];
  const allowUnknown = old?.some(usage => !usages.includes(usage)) ?? false;
  const allowRepeated = old !== undefined && new Set(old).size < old.length;
  for (const [i, usage] of wanted.entries()) {
    if (!allowUnknown && !usages.includes(usage)) faults.push(notSupported(index(path, i), usage, usages));
    if (isEnough(faults)) return faults;
  }
  const seen = new Set<string>();
  for (const [i, usage] of wanted.entries()) {
    if (!allowRepeated && seen.has(usage)) faults.push(duplicate(index(path, i), usage));
    if (isEnough(faults)) return faults;
    seen.add(usage);
  }
  return faults;
}

function signerFaults(signer: string, old: CertificateSigningRequest | undefined): readonly Fault[] {
  if (signer !== legacyUnknownSigner || old?.spec?.signerName === legacyUnknownSigner)
    return signerNameFaults('spec.signerName', signer);
  return [invalidValue('spec.signerName', signer, 'the legacy signerName is not allowed via this API version')];
}

// as pkg/apis/certificates/validation/validation.go validateCertificateSigningRequest
function faultsOf(
  ports: CertificatePorts,
): (csr: CertificateSigningRequest, old?: CertificateSigningRequest) => Fault[] {
  const certificateFaults = (csr: CertificateSigningRequest, old: CertificateSigningRequest | undefined): Fault[] => {
    const [now, before] = [csr.status?.certificate ?? '', old?.status?.certificate ?? ''];
    if (now === '' || (old !== undefined && now === before)) return [];
    if (before !== '' && ports.certificateFault(decoded(before)) !== undefined) return [];
    const fault = ports.certificateFault(decoded(now));
    return fault === undefined ? [] : [invalidValue('status.certificate', '<certificate data>', fault)];
  };
  return (csr, old) => {
    const { request, usages: wanted = [], signerName = '', expirationSeconds } = csr.spec ?? {};
    const fault = ports.requestFault(decoded(request));
    const short = 'may not specify a duration less than 600 seconds (10 minutes)';
    return [
      ...(fault === undefined ? [] : [invalidValue('spec.request', request ?? null, fault)]),
      ...usageFaults(wanted, old && (old.spec?.usages ?? [])),
      ...signerFaults(signerName, old),
      ...(expirationSeconds !== undefined && expirationSeconds < 600
        ? [invalidValue('spec.expirationSeconds', expirationSeconds, short)]
        : []),
      ...conditionFaults(csr, old),
      ...certificateFaults(csr, old),
    ];
  };
}

/** A certificate can be set only through /status, and only once. */
function certificateChangeFaults(csr: CertificateSigningRequest, old: CertificateSigningRequest, part: Part): Fault[] {
  const before = old.status?.certificate ?? '';
  if ((csr.status?.certificate ?? '') === before) return [];
  if (part !== 'status') return [forbiddenField('status.certificate', 'updates may not set certificate content')];
  if (before === '') return [];
  return [forbiddenField('status.certificate', 'updates may not modify existing certificate content')];
}

type Part = '' | 'status' | 'approval';

/** The requester's identity comes from the request, and a new request has no status, so requesters cannot approve their own. */
const ownRequest: Prepare = (draft, _old, { user }) => {
  const csr = draft as CertificateSigningRequest;
  // Remove the identity that the client sent.
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...rest } = csr.spec ?? {};
  csr.spec = { ...rest, ...userInfo(user) };
  csr.status = {};
};

const stampedStatus: Prepare = (draft, old, { now }) => {
  const [csr, before] = [draft as CertificateSigningRequest, (old ?? draft) as CertificateSigningRequest];
  keepApprovals(csr, before);
  stampConditions(csr, before, now);
};

/** An approval changes only the conditions. */
const stampedApproval: Prepare = (draft, old, { now }) => {
  const [csr, before] = [draft as CertificateSigningRequest, (old ?? draft) as CertificateSigningRequest];
  stampConditions(csr, before, now);
  const { conditions: _conditions, ...rest } = before.status ?? {};
  csr.status = { ...rest, ...(conditionsOf(csr).length > 0 && { conditions: [...conditionsOf(csr)] }) };
};

/** Returns strategy and subresources, which need to read certificates. */
export function certificateRules(ports: CertificatePorts): {
  readonly strategy: Strategy;
  readonly subresources: Readonly<Record<'status' | 'approval', Subresource>>;
} {
  const faults = faultsOf(ports);
  const validUpdate =
    (part: Part): Validate =>
    (object, old, context) => {
      const [csr, before] = [object as CertificateSigningRequest, (old ?? object) as CertificateSigningRequest];
      return [
        ...faults(csr, before),
        ...conditionChangeFaults(csr, before, part === 'approval' ? 'approval' : 'other'),
        ...certificateChangeFaults(csr, before, part),
        ...changedMetadata(object, old, context),
      ];
    };
  return {
    strategy: strategy({
      nameFaults: pathSegmentFaults,
      metadataRepeats: ['whole'],
      prepareCreate: [ownRequest],
      prepareUpdate: [keep('spec', 'status')],
      validateCreate: [object => faults(object)],
      validateUpdate: [validUpdate('')],
      resetFields: ['spec', 'status'],
    }),
    subresources: {
      status: statusPart({
        prepareUpdate: [keep('spec'), stampedStatus],
        validateUpdate: [validUpdate('status')],
        resetFields: ['spec', 'status.conditions'],
        metadataRepeats: ['whole'],
      }),
      approval: statusPart({
        prepareUpdate: [keep('spec'), stampedApproval],
        validateUpdate: [validUpdate('approval')],
        resetFields: ['spec', 'status.certificate'],
        metadataRepeats: ['whole'],
      }),
    },
  };
}

function conditionCell(csr: CertificateSigningRequest): string {
  const types = new Set(conditionsOf(csr).map(condition => condition.type));
  const head = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return `${head}${types.has('Failed') ? ',Failed' : ''}${csr.status?.certificate ? ',Issued' : ''}`;
}

const columns = [
  name,
  ageTextColumn,
  textColumn('SignerName'),
  textColumn('Requestor'),
  textColumn('RequestedDuration'),
  textColumn('Condition'),
];

/** Completed by `certificateRules`. */
export const certificateSigningRequest: NativeKind = {
  group: certificatesGroup,
  kind: 'CertificateSigningRequest',
  selectableFields: { 'spec.signerName': object => (object as CertificateSigningRequest).spec?.signerName ?? '' },
  printer: printer<CertificateSigningRequest>(columns, (csr, now) => [
    nameCell(csr),
    ageCell(csr, now),
    csr.spec?.signerName || '<none>',
    csr.spec?.username ?? '',
    csr.spec?.expirationSeconds === undefined ? '<none>' : humanDuration(csr.spec.expirationSeconds * 1000),
    conditionCell(csr),
  ]),
};
