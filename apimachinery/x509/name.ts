/** Reads and writes distinguished names, the subjects of certificates. */
import { dotted, oid, parts, sequence, set, text, utf8, type Der } from './der.js';

/** The parts of a subject that Kubernetes uses: a user's name, groups and uid. */
export interface CertificateSubject {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
}

const types = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  /** as staging/src/k8s.io/apimachinery/pkg/apis/asn1 X509UID */
  uid: '1.3.6.1.4.1.57683.2',
} as const;

const attribute = (type: string, value: string): Der => set(sequence(oid(type), utf8(value)));

/** Returns the name for a subject: organizations, the uid, then the common name, each an RDN of its own. */
export const encodeSubject = (subject: CertificateSubject): Der =>
  sequence(
    ...(subject.groups ?? []).map(group => attribute(types.organization, group)),
    ...(subject.uid === undefined ? [] : [attribute(types.uid, subject.uid)]),
    attribute(types.commonName, subject.name),
  );

/** A subject as read: all values of these attributes. */
export interface ReadSubject {
  /** The last common name; '' when there is none. */
  readonly name: string;
  readonly groups: readonly string[];
  readonly uids: readonly string[];
}

/** Returns the attributes of a name that identities are made of; all others are ignored. */
export function decodeSubject(name: Der): ReadSubject {
  const values = parts(name)
    .flatMap(relative => parts(relative))
    .map(pair => {
      const [type, value] = parts(pair);
      return { type: dotted(type), value: value === undefined ? '' : text(value) };
    });
  const all = (type: string): string[] => values.filter(v => v.type === type).map(v => v.value);
  return { name: all(types.commonName).at(-1) ?? '', groups: all(types.organization), uids: all(types.uid) };
}
