/** Webhook configurations, read once: when they change, not with every request. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import type { Catalogue } from '../../registry/interface.js';
import type { MutatingWebhook, MutatingWebhookConfiguration } from '../../api/kubernetes/admissionregistration.js';
import { caBundleFault } from '../../registry/strategy/ca-bundle.js';
import type { WebhookTarget } from '../../registry/webhook-caller.js';
import { type CompileResult, conditionsOf } from '../expressions/conditions.js';
import { type Matched, inOrder, matched, renewed } from '../matching/matched.js';
import type { Place } from '../matching/place.js';
import { firstFor, matchesOf } from '../matching/rules.js';
import { type Selectors, selectorsOf } from '../matching/selectors.js';

/** One webhook of a configuration. Validating webhooks have no reinvocation policy. */
export interface Hook {
  readonly configuration: string;
  readonly name: string;
  /** What it is told apart by between two rounds. */
  readonly id: string;
  readonly spec: MutatingWebhook;
  readonly selectors: Selectors;
  readonly conditions: readonly CompileResult[];
  readonly target: WebhookTarget;
  /** Why it cannot be called. */
  readonly fault: string | undefined;
  readonly failsOpen: boolean;
  readonly timeoutMs: number;
}

/** A webhook that is about a place, which it wants as another perhaps. */
export interface Called {
  readonly hook: Hook;
  readonly place: Place;
  /** Its index among all webhooks, for audit annotations. */
  readonly index: number;
}

const defaultTimeoutSeconds = 10;
const bundleFault = (bundle: string | undefined): string | undefined =>
  bundle === undefined || Buffer.from(bundle, 'base64').toString('latin1').trim() === ''
    ? undefined
    : caBundleFault(bundle);

function hookOf(configuration: string, spec: MutatingWebhook, repeated: number): Hook {
  const { name = '', clientConfig = {} } = spec;
  const { url, service, caBundle } = clientConfig;
  const { namespace = '', name: serviceName = '', path, port } = service ?? {};
  // Where they are needed: what cannot be read must not keep all the others from being in force.
  const [selectors, conditions] = [
    once(() => selectorsOf(spec)),
    once(() => conditionsOf(spec.matchConditions, false)),
  ];
  return {
    ...{ configuration, name, spec },
    id: `${configuration}/${name}/${repeated}`,
    get selectors() {
      return selectors();
    },
    get conditions() {
      return conditions();
    },
    target: {
      ...(url !== undefined && { url }),
      ...(service && {
        service: {
          namespace,
          name: serviceName,
          ...(path !== undefined && { path }),
          ...(port !== undefined && { port }),
        },
      }),
      ...(caBundle !== undefined && { caBundle }),
    },
    fault: bundleFault(caBundle),
    failsOpen: spec.failurePolicy === 'Ignore',
    timeoutMs: (spec.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
  };
}

function hooksOf(object: KubeObject): readonly Hook[] {
  const { metadata, webhooks = [] } = object as MutatingWebhookConfiguration;
  const seen = new Map<string, number>();
  return webhooks.map(spec => {
    const times = seen.get(spec.name ?? '') ?? 0;
    seen.set(spec.name ?? '', times + 1);
    return hookOf(metadata.name ?? '', spec, times);
  });
}

/** Whether what a webhook does is done in process: it is not called. */
export type IsBuiltIn = (configuration: string, webhook: string) => boolean;

export interface Hooks {
  /** A configuration as it stands now; undefined: it is gone. */
  set(configuration: string, object: KubeObject | undefined): void;
  /** hot: those that are about the place of a request, in order. */
  readonly for: Matched<Called>;
}

/** Configurations in force. What a change costs does not depend on the others; the next request puts them in order. */
export function createHooks(catalogue: Catalogue, isBuiltIn: IsBuiltIn = () => false): Hooks {
  const configured = new Map<string, readonly Hook[]>();
  const inForce = renewed((): Matched<Called> => {
    const all = inOrder(configured).flat();
    return matched(catalogue, place =>
      all.flatMap((hook, index) => {
        const match = firstFor(matchesOf(hook.spec.rules ?? [], hook.spec.matchPolicy, place, catalogue), '');
        return match ? [{ hook, index, place: match.place }] : [];
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
