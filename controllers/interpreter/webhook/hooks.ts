/** The webhooks of the ResourceInterpreterWebhookConfigurations, which are parsed when one of these changes and not per call. */
import { callTargetOf } from '../../../admission/webhook/call-target.js';
import type { GroupVersionKind, KubeObject } from '../../../apimachinery/interface.js';
import type {
  InterpreterRule,
  InterpreterWebhook,
  InterpreterWebhookConfiguration,
} from '../../../kinds/karmada/interpreter/interpreter-webhooks.js';
import type { WebhookTarget } from '../../../registry/webhook-caller.js';
import type { Operation } from '../interface.js';

/** One webhook of a configuration. */
export interface InterpreterHook {
  /** The name of the configuration. */
  readonly configuration: string;
  /** The names of configuration and webhook, as in upstream's messages: `workloads/workloads.example.com`. */
  readonly name: string;
  /** Identifies this webhook and this state of its configuration. */
  readonly revision: string;
  readonly rules: readonly InterpreterRule[];
  /** Versions of ResourceInterpreterContext that the webhook accepts. */
  readonly contextVersions: readonly string[];
  readonly target: WebhookTarget;
  /** Why the webhook cannot be called; undefined if it can. */
  readonly fault: string | undefined;
  readonly timeoutMs: number;
  /** The configuration sets the timeout, so that the webhook is told of it. */
  readonly hasTimeout: boolean;
}

/** differs: upstream documents this default, but waits without a limit. */
const defaultTimeoutSeconds = 10;

function hookOf({ metadata }: KubeObject, webhook: InterpreterWebhook): InterpreterHook {
  const { name: configuration = '', uid = '', resourceVersion = '' } = metadata;
  const { target, fault } = callTargetOf(webhook.clientConfig);
  const { url, service, caBundle } = target;
  const name = `${configuration}/${webhook.name}`;
  return {
    ...{ configuration, name, fault },
    revision: `${name}/${uid}/${resourceVersion}`,
    rules: webhook.rules ?? [],
    contextVersions: webhook.interpreterContextVersions,
    target: {
      ...(url !== undefined && { url }),
      ...(service && { service: { ...service, fallsBackToDns: true } }),
      ...(caBundle !== undefined && { caBundle }),
    },
    timeoutMs: (webhook.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
    hasTimeout: webhook.timeoutSeconds !== undefined,
  };
}

const includes = (names: readonly string[], name: string): boolean => names.includes(name) || names.includes('*');

/** as pkg/util/interpreter Matcher.Matches */
const matches = (rule: InterpreterRule, { group, version, kind }: GroupVersionKind, operation: Operation): boolean =>
  includes(rule.operations, operation) &&
  includes(rule.apiGroups, group) &&
  includes(rule.apiVersions, version) &&
  includes(rule.kinds, kind);

/** Kinds and operations whose webhook is remembered. */
const maxRemembered = 10_000;

/** Finds the webhook for an operation of a kind. */
export class Hooks {
  /** In the order of precedence. */
  readonly #hooks: readonly InterpreterHook[];
  readonly #found = new Map<string, InterpreterHook | undefined>();

  /**
   * The webhook with the first name counts. The names include those of the configurations.
   * as pkg/resourceinterpreter/customized/webhook getFirstRelevantHook
   */
  constructor(configurations: readonly KubeObject[]) {
    this.#hooks = (configurations as readonly InterpreterWebhookConfiguration[])
      .flatMap(object => object.webhooks.map(webhook => hookOf(object, webhook)))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** hot: several times per reconciliation, mostly without any configuration. Returns undefined if no webhook is to be called. */
  find(type: GroupVersionKind, operation: Operation): InterpreterHook | undefined {
    if (this.#hooks.length === 0) return undefined;
    const key = `${operation}/${type.group}/${type.version}/${type.kind}`;
    const known = this.#found.get(key);
    if (known || this.#found.has(key)) return known;
    const found = this.#hooks.find(({ rules }) => rules.some(rule => matches(rule, type, operation)));
    if (this.#found.size >= maxRemembered) this.#found.clear();
    this.#found.set(key, found);
    return found;
  }
}
