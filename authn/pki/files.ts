/**
 * The keys and certificates of a server in a folder, under kubeadm's names. Existing files are used; those that are missing, about to expire or
 * made for other hosts are issued again. Files are readable by their owner only.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import path from 'node:path';
import {
  createAuthority,
  issueClient,
  issueServing,
  loadAuthority,
  type Authority,
  type Credential,
} from './authority.js';
import { createFolders } from '../../lib/create-folders.js';
import { parsedFiles, PkiFileError, readIfThere } from './read-files.js';
import { staleness } from './rotation.js';
import { type TokenAlgorithm, type TokenKey, tokenKey } from './token-key.js';
import { writePrivate } from '../../lib/write-private.js';

export interface Pki {
  /** Signs serving and client certificates. */
  readonly authority: Authority;
  readonly serving: Credential;
  /** The client certificate of `system:admin` in `system:masters`. It is replaced while the server runs (`keepRenewed`). */
  admin: Credential;
  /** Signs clients whose X-Remote-* headers are trusted. */
  readonly frontProxyAuthority: Authority;
  /** The client certificate of the aggregator for other API servers. */
  readonly frontProxyClient: Credential;
  /** Signs service account tokens. */
  readonly tokenKey: TokenKey;
}

interface PkiOptions {
  /** DNS names and addresses under which the server is reached. */
  readonly hosts: readonly string[];
  readonly now?: Date;
  /** The algorithm of a new key for service account tokens: RS256 by default. */
  readonly tokens?: TokenAlgorithm;
}

async function readPair(base: string): Promise<Credential | undefined> {
  const [certificate, key] = await Promise.all([readIfThere(`${base}.crt`), readIfThere(`${base}.key`)]);
  if (certificate !== undefined && key === undefined)
    throw new PkiFileError(`${base}.crt has no ${path.basename(base)}.key`);
  // An interrupted first start leaves a key alone, since it is written first.
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

async function writePair(base: string, pair: Credential): Promise<void> {
  await writePrivate(`${base}.key`, pair.key);
  await writePrivate(`${base}.crt`, pair.certificate);
}

async function authority(base: string, name: string, now: Date): Promise<Authority> {
  const found = await readPair(base);
  if (found !== undefined) {
    const loaded = parsedFiles(`${base}.crt, ${base}.key`, () => loadAuthority(found));
    if (now >= new Date(loaded.x509.validTo)) throw new PkiFileError(`the authority ${base}.crt expired`);
    return loaded;
  }
  const made = await createAuthority(name, { now });
  await writePair(base, made);
  return made;
}

async function leaf(
  base: string,
  signer: Authority,
  options: PkiOptions & { readonly now: Date },
  issue: () => Promise<Credential>,
): Promise<Credential> {
  const found = await readPair(base);
  const wanted = { authority: signer.x509, now: options.now, hosts: options.hosts };
  const files = `${base}.crt, ${base}.key`;
  if (found !== undefined && parsedFiles(files, () => staleness(found.certificate, wanted)) === undefined) {
    const { certificate, key } = found;
    if (!parsedFiles(files, () => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))))
      throw new PkiFileError(`${base}.key does not belong to ${base}.crt`);
    return found;
  }
  const made = await issue();
  await writePair(base, made);
  return made;
}

/** Loads or creates everything. Throws PkiFileError for an expired authority, a missing key, or one that does not belong to its certificate. */
export async function loadOrCreate(
  dir: string,
  { hosts, now = new Date(), tokens = 'RS256' }: PkiOptions,
): Promise<Pki> {
  await createFolders(dir);
  const at = (name: string): string => path.join(dir, name);
  const [signing, ca, frontProxy] = await Promise.all([
    tokenKey(dir, tokens),
    authority(at('ca'), 'flagship-ca', now),
    authority(at('front-proxy-ca'), 'flagship-front-proxy-ca', now),
  ]);
  const client = { hosts: [], now };
  const [serving, admin, frontProxyClient] = await Promise.all([
    leaf(at('apiserver'), ca, { hosts, now }, () => issueServing(ca, hosts, { name: 'kube-apiserver', now })),
    leaf(at('admin'), ca, client, () => issueClient(ca, { name: 'system:admin', groups: ['system:masters'] }, { now })),
    leaf(at('front-proxy-client'), frontProxy, client, () =>
      issueClient(frontProxy, { name: 'front-proxy-client' }, { now }),
    ),
  ]);
  return { authority: ca, serving, admin, frontProxyAuthority: frontProxy, frontProxyClient, tokenKey: signing };
}
