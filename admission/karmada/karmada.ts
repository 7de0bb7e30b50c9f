/**
 * Implements karmada-webhook in process. Refusals have the names of the webhooks that Karmada registers.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { Offload } from '../../lib/offload/interface.js';
import type { Client } from '../../client/interface.js';
import { validateClusterTaintPolicy } from '../../kinds/karmada/policies/cluster-taint-policy.js';
import { federatedHpa } from '../../kinds/karmada/crds/autoscaling.js';
import { clusterResourceBinding, resourceBinding } from '../../kinds/karmada/crds/bindings.js';
import type { CustomResource } from '../../kinds/karmada/crds/custom-resource.js';
import { multiClusterService } from '../../kinds/karmada/crds/networking.js';
import { overridePolicy } from '../../kinds/karmada/crds/override-policies.js';
import { clusterPropagationPolicy, propagationPolicy } from '../../kinds/karmada/crds/propagation-policies.js';
import { work } from '../../kinds/karmada/crds/work.js';
import { validateCronFederatedHpa } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { deletionRefusal } from '../../kinds/karmada/deletion-protection.js';
import { completeFederatedHpa, validateFederatedHpa } from '../../kinds/karmada/autoscaling/federated-hpa.js';
import { validateFederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import { goForm } from '../../kinds/karmada/policies/go-form.js';
import {
  conflictOfCustomizations,
  faultOfScripts,
  type InterpreterCustomization,
} from '../../kinds/karmada/interpreter/interpreter-customization.js';
import { validateInterpreterWebhooks } from '../../kinds/karmada/interpreter/interpreter-webhooks.js';
import { luaValidator } from './validate-lua.js';
import { validateMultiClusterIngress } from '../../kinds/karmada/networking/multi-cluster-ingress.js';
import {
  completeMultiClusterService,
  validateMultiClusterService,
} from '../../kinds/karmada/networking/multi-cluster-service.js';
import { completeOverridePolicy, validateOverridePolicy } from '../../kinds/karmada/policies/override-policy.js';
import {
  clusterPolicy,
  completePolicy,
  validatePolicy,
  namespacedPolicy,
} from '../../kinds/karmada/policies/propagation-policy.js';
import {
  identifyBinding,
  identifyClusterBinding,
  validateComponents,
  validateDependencies,
} from '../../kinds/karmada/work/resource-binding.js';
import type { Mutate, RuleContext, WebhookRule } from '../../kinds/karmada/rules.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { completeWork } from '../../kinds/karmada/work/work.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { enforceQuotas } from './quota-enforcement.js';
import { type Denial, webhookRefusal } from '../webhook-refusal.js';

interface KarmadaAdmissionOptions {
  /** Client to read other objects and to charge quotas. */
  readonly client: Client;
  readonly gates: FeatureGates;
  /** Value of `--allow-no-execute-taint-policy`. */
  readonly allowNoExecuteTaintPolicy?: boolean;
  /** Runs what may take long in another thread: it compiles scripts. */
  readonly offload: Offload;
  /** Returns a random UUID. */
  readonly newId?: () => string;
}

type Operation = RuleContext['operation'];

interface Mutating {
  readonly webhook: string;
  readonly operations: readonly Operation[];
  /** Returns the changed object in the form of a typed Go client. */
  run(object: KubeObject, old: KubeObject | undefined, context: RuleContext): KubeObject;
}

interface Validating {
  readonly webhook: string;
  run(object: KubeObject, request: AdmissionRequest, context: RuleContext): Maybe<Denial | undefined>;
}

const writes: readonly Operation[] = ['CREATE', 'UPDATE'];

const storedType = ({ versions }: CustomResource): Schema =>
  versions.find(version => version.storage !== false)?.schema ?? {};

function mutating<T>(webhook: string, kind: CustomResource, mutate: Mutate<T>, operations = writes): Mutating {
  const type = storedType(kind);
  return {
    webhook,
    operations,
    run(object, old, context) {
      const draft = goForm<KubeObject>(object, type);
      mutate(draft as T, old as T | undefined, context);
      return draft;
    },
  };
}

/** Returns a denial with the message; undefined without one. */
function denied(text: string | undefined): Denial | undefined {
  return text === undefined ? undefined : { code: 403, reason: 'Forbidden', message: text };
}

function validating<T>(webhook: string, rule: WebhookRule<T>): Validating {
  return {
    webhook,
    run: (object, { old }, context) => denied(rule(object as T, old as T | undefined, context)),
  };
}

/** Mutating webhooks by `GROUP/RESOURCE`. */
const mutations: Readonly<Record<string, Mutating>> = {
  'policy.karmada.io/propagationpolicies': mutating(
    'propagationpolicy.karmada.io',
    propagationPolicy,
    completePolicy(namespacedPolicy),
  ),
  'policy.karmada.io/clusterpropagationpolicies': mutating(
    'clusterpropagationpolicy.karmada.io',
    clusterPropagationPolicy,
    completePolicy(clusterPolicy),
  ),
  'policy.karmada.io/overridepolicies': mutating('overridepolicy.karmada.io', overridePolicy, completeOverridePolicy),
  'work.karmada.io/resourcebindings': mutating('resourcebinding.karmada.io', resourceBinding, identifyBinding, [
    'CREATE',
  ]),
  'work.karmada.io/clusterresourcebindings': mutating(
    'clusterresourcebinding.karmada.io',
    clusterResourceBinding,
    identifyClusterBinding,
    ['CREATE'],
  ),
  'work.karmada.io/works': mutating('work.karmada.io', work, completeWork),
  'autoscaling.karmada.io/federatedhpas': mutating('autoscaling.karmada.io', federatedHpa, completeFederatedHpa),
  'networking.karmada.io/multiclusterservices': mutating(
    'multiclusterservice.karmada.io',
    multiClusterService,
    completeMultiClusterService,
  ),
};

function validations(options: KarmadaAdmissionOptions): Readonly<Record<string, Validating>> {
  const { client, offload } = options;
  return {
    'policy.karmada.io/propagationpolicies': validating(
      'propagationpolicy.karmada.io',
      validatePolicy(namespacedPolicy),
    ),
    'policy.karmada.io/clusterpropagationpolicies': validating(
      'clusterpropagationpolicy.karmada.io',
      validatePolicy(clusterPolicy),
    ),
    'policy.karmada.io/overridepolicies': validating('overridepolicy.karmada.io', validateOverridePolicy),
    'policy.karmada.io/clusteroverridepolicies': validating('clusteroverridepolicy.karmada.io', validateOverridePolicy),
    'policy.karmada.io/federatedresourcequotas': validating(
      'federatedresourcequota.karmada.io',
      validateFederatedResourceQuota,
    ),
    'policy.karmada.io/clustertaintpolicies': validating(
      'clustertaintpolicy.karmada.io',
      validateClusterTaintPolicy(options.allowNoExecuteTaintPolicy ?? false),
    ),
    'config.karmada.io/resourceinterpreterwebhookconfigurations': validating(
      'config.karmada.io',
      validateInterpreterWebhooks,
    ),
    'config.karmada.io/resourceinterpretercustomizations': {
      webhook: 'resourceinterpretercustomization.karmada.io',
      async run(object, { user, signal }) {
        const customization = object as InterpreterCustomization;
        const others = (await client.list(resources.interpreterCustomizations)).items as InterpreterCustomization[];
        const conflict = conflictOfCustomizations(customization, others);
        return denied(conflict ?? (await faultOfScripts(customization, luaValidator(offload, user.name, signal))));
      },
    },
    'networking.karmada.io/multiclusteringresses': validating(
      'multiclusteringress.karmada.io',
      validateMultiClusterIngress,
    ),
    'networking.karmada.io/multiclusterservices': validating(
      'multiclusterservice.karmada.io',
      validateMultiClusterService,
    ),
    'autoscaling.karmada.io/federatedhpas': validating('federatedhpa.karmada.io', validateFederatedHpa),
    'autoscaling.karmada.io/cronfederatedhpas': validating('cronfederatedhpa.karmada.io', validateCronFederatedHpa),
    'work.karmada.io/resourcebindings': {
      webhook: 'resourcebinding.karmada.io',
      async run(object, { old, dryRun }, context) {
        const binding = object as Binding;
        const before = old as Binding | undefined;
        const { FederatedQuotaEnforcement: enforced } = context.gates;
        return (
          denied(validateDependencies(binding, before, context)) ??
          (enforced ? await enforceQuotas(client, binding, before, dryRun) : undefined) ??
          denied(validateComponents(binding, before, context))
        );
      },
    },
  };
}

const keyOf = ({ definition }: AdmissionRequest): string => `${definition.group}/${definition.plural}`;

/** Replaces the content of the draft, and keeps its identity. */
function replaceContent(draft: KubeObject, content: KubeObject): void {
  for (const field of Object.keys(draft)) delete draft[field];
  Object.assign(draft, content);
}

function validateDeletion({ definition, old }: AdmissionRequest): void {
  // Webhooks are not called for webhook configurations: otherwise a broken one could not be deleted.
  if (definition.group === 'admissionregistration.k8s.io') return;
  const message = old && deletionRefusal(old);
  if (message !== undefined)
    throw webhookRefusal('resourcedeletionprotection.karmada.io', { code: 403, reason: 'Forbidden', message });
}

/** Returns a plugin with all webhooks of karmada-webhook. */
export function karmadaAdmission(options: KarmadaAdmissionOptions): AdmissionPlugin {
  const { gates, newId = randomUUID } = options;
  const validatingWebhooks = validations(options);
  const contextOf = (operation: Operation, { namespace }: AdmissionRequest): RuleContext => ({
    operation,
    namespace,
    gates,
    newId,
  });
  return {
    name: 'Karmada',
    mutate(request) {
      const { operation, subresource, object, old } = request;
      if (subresource !== '' || !object || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      const mutation = mutations[keyOf(request)];
      if (!mutation?.operations.includes(operation)) return;
      try {
        replaceContent(object, mutation.run(object, old, contextOf(operation, request)));
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        throw webhookRefusal(mutation.webhook, { code: 400, message: error.message });
      }
    },
    validate(request) {
      const { operation, subresource, object } = request;
      if (subresource !== '') return;
      if (operation === 'DELETE') return validateDeletion(request);
      if (!object || operation === 'CONNECT') return;
      const validation = validatingWebhooks[keyOf(request)];
      if (!validation) return;
      return andThen(validation.run(object, request, contextOf(operation, request)), denial => {
        if (denial) throw webhookRefusal(validation.webhook, denial);
      });
    },
  };
}
