import type { KubeObject } from '../../../apimachinery/interface.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { controllerOf } from '../../../apimachinery/meta/owner.js';
import { andThen, type Maybe } from '../../../lib/maybe.js';
import { forbidden, internal, invalid } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import type { CronJob } from '../../../api/kubernetes/batch.js';
import type { Deployment } from '../../../api/kubernetes/apps.js';
import type { Pod, PodSpec, PodTemplate } from '../../../api/kubernetes/core.js';
import { groupResourceOf } from '../../../registry/group-resource.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { findRecent, listRecent } from '../../../client/recent.js';
import type { Annotated } from './check.js';
import { detailsText, reasonsText, violations } from './evaluate.js';
import {
  type PodSecurityStandards,
  type LevelVersion,
  compareLevels,
  policyOf,
  prefix,
  sameStandard,
  standardText,
} from './policy.js';
import { namespaces, pods } from '../../../api/kubernetes/resources.js';

/** Maximum number of pods that are checked when the labels of their namespace change. */
const maxPods = 3000;

/** Enforces the Pod Security Standard in the labels of the namespace. */
// as plugin/pkg/admission/security/podsecurity, pod-security-admission/admission
export function podSecurity({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    resources: [
      'namespaces',
      'pods',
      'replicationcontrollers',
      'podtemplates',
      'replicasets.apps',
      'deployments.apps',
      'statefulsets.apps',
      'daemonsets.apps',
      'jobs.batch',
      'cronjobs.batch',
    ],
    validate(request) {
      if (request.operation === 'DELETE' || request.operation === 'CONNECT') return;
      const { plural } = request.definition;
      if (plural === 'namespaces') return validateNamespace(client, request);
      return plural === 'pods' ? validatePod(client, request) : validateTemplate(client, request);
    },
  };
}

// differs: the check of existing pods is limited by count, upstream's also by time
async function validateNamespace(client: Client, request: AdmissionRequest): Promise<void> {
  const { subresource, object, old, operation } = request;
  if (subresource !== '') return;
  const { policy, faults } = policyOf(object?.metadata.labels);
  const before = policyOf(old?.metadata.labels);
  const faultsText = (each: typeof faults): string => JSON.stringify(each);
  if (faults.length > 0 && (operation === 'CREATE' || faultsText(faults) !== faultsText(before.faults)))
    throw invalid({ group: '', kind: 'Namespace' }, request.name, faults);
  const { enforce } = policy;
  const oldEnforce = before.policy.enforce;
  if (operation === 'CREATE' || enforce.level === 'privileged' || sameStandard(enforce, oldEnforce)) return;
  if (enforce.version === oldEnforce.version && compareLevels(enforce.level, oldEnforce.level) < 1) return;
  await warnOfPods(client, request, enforce);
}

async function warnOfPods(client: Client, { name, warn }: AdmissionRequest, standard: LevelVersion): Promise<void> {
  const found = firstOfEach(await listRecent(client, pods, name));
  const names = new Map<string, string[]>();
  for (const { metadata, spec = {} } of found.slice(0, maxPods)) {
    const reasons = reasonsText(violations(standard, spec, metadata));
    if (reasons !== '') names.set(reasons, [...(names.get(reasons) ?? []), metadata.name ?? '']);
  }
  if (found.length > maxPods)
    warn(`new PodSecurity enforce level only checked against the first ${maxPods} of ${found.length} existing pods`);
  if (names.size === 0) return;
  const level = goQuote(standardText(standard));
  warn(`existing pods in namespace ${goQuote(name)} violate the new PodSecurity enforce level ${level}`);
  const texts = [...names].map(([reasons, each]) => `${someOf(each.sort())}: ${reasons}`);
  for (const text of texts.sort()) warn(text);
}

/** Returns a text like `a (and 2 other pods)`. */
function someOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
}

/** Returns the pods in another order: first one of each controller, then all others. */
function firstOfEach(found: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const first: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of found) {
    const uid = controllerOf(pod)?.uid;
    if (uid !== undefined && seen.has(uid)) others.push(pod);
    else first.push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}

/** Subresources that do not write the spec. */
const ignored: ReadonlySet<string> = new Set(['binding', 'eviction', 'status']);

function validatePod(client: Client, request: AdmissionRequest): Maybe<void> {
  if (!ignored.has(request.subresource))
    return andThen(policyFor(client, request), policy => enforcePolicy(request, policy));
}

function enforcePolicy(request: AdmissionRequest, policy: PodSecurityStandards | undefined): void {
  if (!policy) throw internal(`failed to lookup namespace ${goQuote(request.namespace)}`);
  request.annotate(`${prefix}enforce-policy`, standardText(policy.enforce));
  if (isPrivileged(policy.enforce) && isPrivileged(policy.audit) && isPrivileged(policy.warn)) return;
  const { metadata, spec = {} } = request.object as Pod;
  if (request.old && !isSignificant(spec, (request.old as Pod).spec ?? {})) return;
  annotateViolations(request, policy, spec, metadata);
  const found = violations(policy.enforce, spec, metadata);
  if (found.length > 0) {
    const text = `violates PodSecurity ${goQuote(standardText(policy.enforce))}: ${detailsText(found)}`;
    throw forbidden(groupResourceOf(request), request.name, text);
  }
  warnOfViolations(request, policy, spec, metadata);
}

/** Checks a pod template. Templates are never refused; they only cause warnings and audit annotations. */
function validateTemplate(client: Client, request: AdmissionRequest): Maybe<void> {
  if (request.subresource === '')
    return andThen(policyFor(client, request), policy => warnAndAnnotate(request, policy));
}

function warnAndAnnotate(request: AdmissionRequest, policy: PodSecurityStandards | undefined): void {
  if (!policy || (isPrivileged(policy.audit) && isPrivileged(policy.warn))) return;
  const template = templateOf(request.object);
  if (!template) return;
  annotateViolations(request, policy, template.spec ?? {}, template.metadata ?? {});
  warnOfViolations(request, policy, template.spec ?? {}, template.metadata ?? {});
}

function warnOfViolations(
  { warn }: AdmissionRequest,
  { warn: standard }: PodSecurityStandards,
  spec: PodSpec,
  metadata: Annotated,
): void {
  const found = violations(standard, spec, metadata);
  if (found.length > 0) warn(`would violate PodSecurity ${goQuote(standardText(standard))}: ${detailsText(found)}`);
}

/** Writes the audit annotation. as pod-security-admission/admission EvaluatePod */
function annotateViolations(
  request: AdmissionRequest,
  { audit: standard }: PodSecurityStandards,
  spec: PodSpec,
  metadata: Annotated,
): void {
  const found = isPrivileged(standard) ? [] : violations(standard, spec, metadata);
  if (found.length === 0) return;
  const text = `would violate PodSecurity ${goQuote(standardText(standard))}: ${detailsText(found)}`;
  request.annotate(`${prefix}audit-violations`, text);
}

const isPrivileged = ({ level }: LevelVersion): boolean => level === 'privileged';

function policyFor(client: Client, { namespace }: AdmissionRequest): Maybe<PodSecurityStandards | undefined> {
  return andThen(
    findRecent(client, namespaces, { name: namespace }),
    found => found && policyOf(found.metadata.labels).policy,
  );
}

interface Template {
  readonly metadata?: Annotated;
  readonly spec?: PodSpec;
}

function templateOf(object: KubeObject | undefined): Template | undefined {
  switch (object?.kind) {
    case 'PodTemplate':
      return (object as PodTemplate).template;
    case 'CronJob':
      return (object as CronJob).spec?.jobTemplate?.spec?.template;
    default:
      return (object as Deployment | undefined)?.spec?.template;
  }
}

/** Reports whether an update may add violations: only images and new containers can. */
function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  const images = (each: PodSpec): string =>
    JSON.stringify([each.containers, each.initContainers].map(list => list?.map(({ image = '' }) => image) ?? []));
  if (images(spec) !== images(old)) return true;
  const before = new Map(old.ephemeralContainers?.map(({ name, image = '' }) => [name, image]));
  return (spec.ephemeralContainers ?? []).some(({ name, image = '' }) => before.get(name) !== image);
}
