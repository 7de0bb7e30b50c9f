import { toBase64 } from '../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster, SecretReference } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, EventRecorder, Informer } from '../../client/runtime/interface.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { ConnectMember } from '../members/member-watch.js';
import { type BoundToken, readBoundToken } from './bound-token.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

interface TokenRenewalDeps {
  readonly connect: ConnectMember;
  /** Clusters to which the control plane connects. */
  readonly serves: (cluster: Cluster) => boolean;
  /** Asks a member for a token of a ServiceAccount. */
  readonly request: (member: Client, account: string, namespace: string, seconds: number) => Promise<string>;
}

/** The share of its life after which a token is renewed, and the age at which it is in any case. as pkg/kubelet/token requiresRefresh */
const renewedShare = 0.8;
const renewedAgeMs = 24 * 60 * 60 * 1000;
/** Milliseconds after which the Secrets are looked at again: others may have replaced the tokens. */
const lookMs = 60 * 60 * 1000;
/** Minimum milliseconds between two renewals, whatever the times in the tokens are. */
const minMs = 60 * 1000;
/** Maximum milliseconds until a renewal that failed is tried again. */
const maxRetryMs = 5 * 60 * 1000;

/** Returns when a token is renewed, in milliseconds since the epoch. */
const dueAt = ({ issuedAt, expiresAt }: BoundToken): number =>
  issuedAt + Math.min((expiresAt - issuedAt) * renewedShare, renewedAgeMs);

/** A token of a cluster in its Secret. */
interface HeldToken {
  readonly secret: KubeObject;
  readonly bound: BoundToken;
}

/** Renews the tokens with which the control plane connects to members. */
class TokenRenewal {
  readonly #context: ControllerContext;
  readonly #deps: TokenRenewalDeps;
  readonly #clusters: Informer<Cluster>;
  readonly #recorder: EventRecorder;
  /** When tokens were renewed, by their Clusters and Secrets. */
  readonly #renewals = new Map<string, Map<string, number>>();

  constructor(context: ControllerContext, deps: TokenRenewalDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#clusters = context.informers.informer<Cluster>(resources.clusters);
    this.#recorder = context.recorder('member-token-controller');
  }

  run(): void {
    this.#context.run({
      ...{ name: 'member-token-controller', maxRetryMs, synced: [this.#clusters.synced] },
      describe: cluster => ({ cluster }),
      wire: queue =>
        this.#clusters.onChange(({ old, new: cluster }) => {
          if (cluster) queue.add(keyOf(cluster));
          else if (old) this.#renewals.delete(keyOf(old));
        }),
      reconcile: name => this.#reconcile(name),
    });
  }

  async #reconcile(name: string): Promise<{ readonly againAfter: number } | undefined> {
    const cluster = this.#clusters.get(name);
    if (!cluster || cluster.metadata.deletionTimestamp || !this.#deps.serves(cluster)) return undefined;
    const { secretRef, impersonatorSecretRef } = cluster.spec;
    const [own, impersonator] = await Promise.all([
      this.#tokenIn(secretRef, memberServiceAccountName(name)),
      this.#tokenIn(impersonatorSecretRef, memberServiceAccountName('impersonator')),
    ]);
    // With the own token the other one is renewed, so that it comes first.
    const tokens = [own, impersonator].filter(token => token !== undefined);
    let again = lookMs;
    for (const held of tokens) again = Math.min(again, await this.#renewed(cluster, held));
    return { againAfter: Math.max(again, minMs) };
  }

  /** Returns the token of a Secret if it is one of the account that joining has made, and expires. Others are not touched. */
  async #tokenIn(ref: SecretReference | undefined, account: string): Promise<HeldToken | undefined> {
    const secret = ref && (await find(this.#context.client, secrets, ref));
    if (!secret) return undefined;
    const bound = readBoundToken(secretText(secret, 'token') ?? '');
    return bound?.account === account ? { secret, bound } : undefined;
  }

  /** Renews a token if it is due. Returns the milliseconds until the next renewal. */
  async #renewed(cluster: Cluster, held: HeldToken): Promise<number> {
    const { clock } = this.#context;
    const left = dueAt(held.bound) - clock.now();
    if (left > 0) return left;
    const renewedAt = this.#renewals.get(cluster.metadata.name ?? '')?.get(keyOf(held.secret)) ?? -Infinity;
    const early = renewedAt + minMs - clock.now();
    if (early > 0) return early;
    try {
      return dueAt(await this.#renew(cluster, held)) - clock.now();
    } catch (error) {
      throw this.#failure(cluster, held, error);
    }
  }

  async #renew(cluster: Cluster, { secret, bound }: HeldToken): Promise<BoundToken> {
    const { connect, request } = this.#deps;
    const { client, log } = this.#context;
    const { namespace, account, issuedAt, expiresAt } = bound;
    const { name = '' } = cluster.metadata;
    const member = await connect(cluster);
    const token = await request(member.client, account, namespace, Math.round((expiresAt - issuedAt) / 1000));
    const renewed = readBoundToken(token);
    // It may expire sooner than the present one: the member may have lowered its maximum.
    const isNewer = renewed?.account === account && renewed.issuedAt > issuedAt;
    if (!isNewer || renewed.expiresAt <= this.#context.clock.now())
      throw new ExpectedError(`the cluster has issued no later token for the service account ${namespace}/${account}`);
    // The write replaces the state that was read. If others have written a token meanwhile, it is refused, and theirs is looked at.
    await client.update(secrets, {
      ...secret,
      data: { ...(secret['data'] as object | undefined), token: toBase64(token) },
    });
    const times = this.#renewals.get(name) ?? new Map<string, number>();
    this.#renewals.set(name, times.set(keyOf(secret), this.#context.clock.now()));
    const expires = new Date(renewed.expiresAt).toISOString();
    log.info({ cluster: name, account, expires }, 'a token for a member was renewed');
    return renewed;
  }

  /** Tells of a failure in an Event of the Cluster. Returns the error for the log. */
  #failure(cluster: Cluster, { secret, bound }: HeldToken, error: unknown): Error {
    const { namespace, name } = secret.metadata;
    const isOver = bound.expiresAt <= this.#context.clock.now();
    const at = new Date(bound.expiresAt).toISOString();
    const state = isOver ? 'has expired' : 'expires';
    const what = `the token in the Secret ${namespace}/${name} ${state} at ${at} and cannot be renewed: ${errorText(error)}`;
    this.#recorder.event(cluster, 'Warning', isOver ? 'TokenExpired' : 'TokenRenewalFailed', what);
    return new ExpectedError(what, { cause: error });
  }
}

/** Starts the renewal of tokens that expire. Those without expiry stay as they are. */
export const startTokenRenewal = (context: ControllerContext, deps: TokenRenewalDeps): void =>
  new TokenRenewal(context, deps).run();
