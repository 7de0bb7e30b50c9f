import { X509Certificate } from 'node:crypto';
import { toBase64 } from '../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';
import { secrets } from '../../api/kubernetes/resources.js';
import type { Client } from '../../client/interface.js';
import { readReceivedKubeconfig } from '../../client/kubeconfig-document.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { isMap } from '../../lib/json/is-map.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';

export interface CertRotationOptions {
  /** The namespace of the Secret in the member. */
  readonly namespace: string;
  /** Milliseconds between two looks at the certificate. */
  readonly intervalMs: number;
  /** The share of its life that a certificate has left when it is replaced. */
  readonly remainingShare: number;
}

/** What is asked of the signer. */
interface WantedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly namePrefix: string;
  readonly expirationSeconds: number;
}

/** A certificate with its private key, in PEM. */
interface SignedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

interface CertRotationDeps extends CertRotationOptions {
  readonly cluster: string;
  readonly member: Client;
  /** Gets a certificate signed by the control plane. */
  readonly request: (wanted: WantedCertificate) => Promise<SignedCertificate>;
  /** Uses a certificate for what follows. */
  readonly use: (signed: SignedCertificate) => void;
}

/** The name of the Secret, and of the key with the kubeconfig. as pkg/controllers/certificate KarmadaKubeconfigName */
const secretName = 'karmada-kubeconfig';

/** Milliseconds after which a rotation that has failed is tried again. */
const retryMs = 30_000;

const fromBase64 = (text: unknown): string =>
  typeof text === 'string' ? Buffer.from(text, 'base64').toString('utf8') : '';

/** The current user of a kubeconfig, as a part of the document. */
interface CurrentUser {
  readonly document: Record<string, unknown>;
  /** Changing it changes the document. */
  readonly user: Record<string, unknown>;
}

/** Returns an entry of a list of a kubeconfig, by its name. */
function entry(list: unknown, name: unknown, field: string): Record<string, unknown> | undefined {
  const found = (Array.isArray(list) ? list : []).find(each => isMap(each) && each['name'] === name) as unknown;
  const value = isMap(found) ? found[field] : undefined;
  return isMap(value) ? value : undefined;
}

function currentUserOf(text: string): CurrentUser {
  const document = readReceivedKubeconfig(text, `the kubeconfig of the Secret ${secretName}`);
  const name = entry(document['contexts'], document['current-context'], 'context')?.['user'];
  const user = entry(document['users'], name, 'user');
  if (!user) throw new ExpectedError(`the kubeconfig of the Secret ${secretName} has no user in its current context`);
  return { document, user };
}

/** Returns the values of an attribute of a subject. Node separates attributes by line ends. */
const attributes = (subject: string, attribute: string): string[] =>
  subject
    .split('\n')
    .filter(line => line.startsWith(`${attribute}=`))
    .map(line => line.slice(attribute.length + 1));

/** Replaces the certificate of an agent before it expires. as pkg/controllers/certificate CertRotationController */
class CertRotation {
  readonly #context: ControllerContext;
  readonly #deps: CertRotationDeps;
  readonly #failureState: FailureState;
  /** The certificate that is used already, and is not in the Secret yet. */
  #unwritten: SignedCertificate | undefined;

  constructor(context: ControllerContext, deps: CertRotationDeps) {
    const { log, clock } = context;
    this.#context = context;
    this.#deps = deps;
    this.#failureState = new FailureState({
      ...{ log, now: () => clock.now() },
      fails: "the agent's certificate cannot be replaced",
      works: "the agent's certificate can be replaced again",
    });
  }

  async run(): Promise<void> {
    const { informers, clock, signal } = this.#context;
    const clusters = informers.informer<Cluster>(resources.clusters);
    await clusters.synced;
    while (!signal.aborted) {
      const cluster = clusters.get(this.#deps.cluster);
      const isDone = !cluster || cluster.metadata.deletionTimestamp !== undefined || (await this.#tryCheck());
      await clock.sleep(isDone ? this.#deps.intervalMs : Math.min(retryMs, this.#deps.intervalMs), signal);
    }
  }

  async #tryCheck(): Promise<boolean> {
    try {
      await this.#check();
      this.#failureState.worked();
      return true;
    } catch (error) {
      if (!this.#context.signal.aborted) this.#failureState.failed(error, { cluster: this.#deps.cluster });
      return false;
    }
  }

  async #check(): Promise<void> {
    const { member, namespace, cluster } = this.#deps;
    const secret = await member.get(secrets, { namespace, name: secretName });
    const data = isMap(secret['data']) ? secret['data'] : {};
    const current = currentUserOf(secretText(secret, secretName) ?? '');
    const certificate = certificateOf(current);
    if (!this.#isDue(certificate)) {
      this.#unwritten = undefined;
      return;
    }
    const signed = await this.#successorOf(certificate);
    current.user['client-certificate-data'] = toBase64(signed.certificatePem);
    current.user['client-key-data'] = toBase64(signed.keyPem);
    const text = toBase64(writeYaml(current.document));
    const draft: KubeObject = { ...secret, data: { ...data, [secretName]: text } };
    await member.update(secrets, draft);
    this.#unwritten = undefined;
    const { validTo } = new X509Certificate(signed.certificatePem);
    this.#context.log.info(
      { cluster, expires: new Date(validTo).toISOString() },
      "the agent's certificate was replaced",
    );
  }

  /** Returns whether a certificate has so little of its life left that it must be replaced. */
  #isDue(certificate: X509Certificate): boolean {
    const { from, to } = lifeOf(certificate);
    return (to - this.#context.clock.now()) / (to - from) <= this.#deps.remainingShare;
  }

  /**
   * Returns a new certificate for the same subject, which is used from now on even if it cannot be written: the former one may expire before that
   * works. One that could not be written is returned again while it has enough of its life left, so that failures do not add up to requests.
   */
  async #successorOf(certificate: X509Certificate): Promise<SignedCertificate> {
    const { request, use, cluster } = this.#deps;
    if (this.#unwritten && !this.#isDue(new X509Certificate(this.#unwritten.certificatePem))) return this.#unwritten;
    const { from, to } = lifeOf(certificate);
    const signed = await request({
      commonName: attributes(certificate.subject, 'CN')[0] ?? '',
      organizations: attributes(certificate.subject, 'O'),
      namePrefix: `${cluster}-`,
      expirationSeconds: Math.round((to - from) / 1000),
    });
    use(signed);
    this.#unwritten = signed;
    return signed;
  }
}

/** Returns from when to when a certificate is valid, in milliseconds since the epoch. */
const lifeOf = ({ validFrom, validTo }: X509Certificate): { readonly from: number; readonly to: number } => ({
  from: Date.parse(validFrom),
  to: Date.parse(validTo),
});

function certificateOf({ user }: CurrentUser): X509Certificate {
  try {
    return new X509Certificate(fromBase64(user['client-certificate-data']));
  } catch (error) {
    throw new ExpectedError(`the kubeconfig of the Secret ${secretName} has no client certificate`, { cause: error });
  }
}

/** Looks at the certificate until the signal aborts, and replaces it when it has little of its life left. */
export const rotateCertificate = (context: ControllerContext, deps: CertRotationDeps): Promise<void> =>
  new CertRotation(context, deps).run();
