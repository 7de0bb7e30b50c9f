/** The current webhook configurations, which are parsed when they change and not per request. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import type { Catalogue } from '../../registry/interface.js';
import type { MutatingWebhook, MutatingWebhookConfiguration } from '../../api/kubernetes/admissionregistration.js';
import type { WebhookTarget } from '../../registry/webhook-caller.js';
import { type CompileResult, matchConditionsOf } from '../expressions/conditions.js';
import { type Matched, sortedByName, matched, renewed } from '../matching/matched.js';
import type { RequestTarget } from '../matching/request-target.js';
import { firstFor, matchesOf } from '../matching/rules.js';
import { type Selectors, selectorsOf } from '../matching/selectors.js';
import { callTargetOf } from './call-target.js';

/** One webhook of a configuration. Validating webhooks have no reinvocation policy. */
export interface AdmissionHook {
  readonly configuration: string;
  readonly name: string;
  /** Identifies the webhook in both rounds of a request, see reinvocation.ts. */
  readonly id: string;
  readonly spec: MutatingWebhook;
  readonly selectors: Selectors;
  readonly conditions: readonly CompileResult[];
  readonly callTarget: WebhookTarget;
  /** Why the webhook cannot be called; undefined if it can. */
  readonly fault: string | undefined;
  readonly failsOpen: boolean;
  readonly timeoutMs: number;
}

/** A webhook whose rules match a request. */
export interface MatchingHook {
  readonly hook: AdmissionHook;
  /** The matched resource and version: those of the request, or equivalent ones. */
  readonly target: RequestTarget;
  /** Its index among all webhooks, for audit annotations. */
  readonly index: number;
}

const defaultTimeoutSeconds = 10;

/** Parses a webhook. `ordinal`: its index among the webhooks of the configuration with the same name. */
function hookOf(configuration: string, spec: MutatingWebhook, ordinal: number): AdmissionHook {
  const { name = '', clientConfig = {} } = spec;
  // Parsed on first use, so that an invalid webhook does not affect the others, and thousands of them are not parsed at once.
  const [selectors, conditions, address] = [
    once(() => selectorsOf(spec)),
    once(() => matchConditionsOf(spec.matchConditions, false)),
    once(() => callTargetOf(clientConfig)),
  ];
  return {
    ...{ configuration, name, spec },
    id: `${configuration}/${name}/${ordinal}`,
    get selectors() {
      return selectors();
    },
    get conditions() {
      return conditions();
    },
    get callTarget() {
      return address().target;
    },
    get fault() {
      return address().fault;
    },
    failsOpen: spec.failurePolicy === 'Ignore',
    timeoutMs: (spec.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
  };
}

function hooksOf(object: KubeObject): readonly AdmissionHook[] {
  const { metadata, webhooks = [] } = object as MutatingWebhookConfiguration;
  const seen = new Map<string, number>();
  return webhooks.map(spec => {
    const ordinal = seen.get(spec.name ?? '') ?? 0;
    seen.set(spec.name ?? '', ordinal + 1);
    return hookOf(metadata.name ?? '', spec, ordinal);
  });
}

/** Reports whether a webhook is implemented in process and therefore not called. */
export type IsBuiltIn = (configuration: string, webhook: string) => boolean;

interface Hooks {
  /** Sets the current state of a configuration; undefined after its deletion. */
  set(configuration: string, object: KubeObject | undefined): void;
  /** hot: returns the webhooks that match a request, in the order of execution. */
  readonly for: Matched<MatchingHook>;
}

/** Creates the set of configurations. A change has constant cost; the next request sorts and matches them again. */
export function createHooks(catalogue: Catalogue, isBuiltIn: IsBuiltIn = () => false): Hooks {
  const configured = new Map<string, readonly AdmissionHook[]>();
  const inForce = renewed((): Matched<MatchingHook> => {
    const all = sortedByName(configured).flat();
    return matched(catalogue, target =>
      all.flatMap((hook, index) => {
        const match = firstFor(matchesOf(hook.spec.rules ?? [], hook.spec.matchPolicy, target, catalogue), '');
        return match ? [{ hook, index, target: match.target }] : [];
      }),
    );
  });
  return {
    set(configuration, object) {
      inForce.renew();
      if (!object) configured.delete(configuration);
      else
        configured.set(
          configuration,
          hooksOf(object).filter(hook => !isBuiltIn(hook.configuration, hook.name)),
        );
    },
    for: request => inForce.get()(request),
  };
}
