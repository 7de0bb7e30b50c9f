import type { KubeObject } from '../../../apimachinery/interface.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { controllerOf } from '../../../apimachinery/meta/owner.js';
import { andThen, type Maybe } from '../../../lib/maybe.js';
import { forbidden, internal, invalid } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import type { CronJob } from '../../../api/kubernetes/batch.js';
import type { Deployment } from '../../../api/kubernetes/apps.js';
import type { Pod, PodSpec, PodTemplate } from '../../../api/kubernetes/core.js';
import { resourceOf } from '../../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { all, find } from '../../lookup.js';
import type { Annotated } from './check.js';
import { detailsText, reasonsText, violations } from './evaluate.js';
import { type Policy, type Standard, compareLevels, policyOf, prefix, sameStandard, standardText } from './policy.js';
import { namespaces, pods } from '../../../api/kubernetes/resources.js';

/** How many pods are looked at when the labels of their namespace change. */
const maxPods = 3000;

/** Holds pods to the Pod Security Standard that the labels of their namespace name. */
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
      if (plural === 'namespaces') return judgeNamespace(client, request);
      return plural === 'pods' ? judgePod(client, request) : judgeTemplate(client, request);
    },
  };
}

// differs: existing pods are counted, not timed
async function judgeNamespace(client: Client, request: AdmissionRequest): Promise<void> {
  const { subresource, object, old, operation } = request;
  if (subresource !== '') return;
  const { policy, faults } = policyOf(object?.metadata.labels);
  const before = policyOf(old?.metadata.labels);
  const told = (each: typeof faults): string => JSON.stringify(each);
  if (faults.length > 0 && (operation === 'CREATE' || told(faults) !== told(before.faults)))
    throw invalid({ group: '', kind: 'Namespace' }, request.name, faults);
  const { enforce } = policy;
  const was = before.policy.enforce;
  if (operation === 'CREATE' || enforce.level === 'privileged' || sameStandard(enforce, was)) return;
  if (enforce.version === was.version && compareLevels(enforce.level, was.level) < 1) return;
  await warnOfPods(client, request, enforce);
}

async function warnOfPods(client: Client, { name, warn }: AdmissionRequest, standard: Standard): Promise<void> {
  const found = firstOfEach(await all(client, pods, name));
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

/** `a (and 2 other pods)` */
function someOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
}

/** One pod of each controller comes before all the others. */
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

/** What these write is not the spec. */
const ignored: ReadonlySet<string> = new Set(['binding', 'eviction', 'status']);

function judgePod(client: Client, request: AdmissionRequest): Maybe<void> {
  if (!ignored.has(request.subresource)) return andThen(policyFor(client, request), policy => allow(request, policy));
}

function allow(request: AdmissionRequest, policy: Policy | undefined): void {
  if (!policy) throw internal(`failed to lookup namespace ${goQuote(request.namespace)}`);
  request.annotate(`${prefix}enforce-policy`, standardText(policy.enforce));
  if (isOpen(policy.enforce) && isOpen(policy.audit) && isOpen(policy.warn)) return;
  const { metadata, spec = {} } = request.object as Pod;
  if (request.old && !isSignificant(spec, (request.old as Pod).spec ?? {})) return;
  noteOf(request, policy, spec, metadata);
  const broken = violations(policy.enforce, spec, metadata);
  if (broken.length > 0) {
    const text = `violates PodSecurity ${goQuote(standardText(policy.enforce))}: ${detailsText(broken)}`;
    throw forbidden(resourceOf(request), request.name, text);
  }
  warnOf(request, policy, spec, metadata);
}

/** Templates are never refused: there may never be a pod. */
function judgeTemplate(client: Client, request: AdmissionRequest): Maybe<void> {
  if (request.subresource === '') return andThen(policyFor(client, request), policy => tell(request, policy));
}

function tell(request: AdmissionRequest, policy: Policy | undefined): void {
  if (!policy || (isOpen(policy.audit) && isOpen(policy.warn))) return;
  const template = templateOf(request.object);
  if (!template) return;
  noteOf(request, policy, template.spec ?? {}, template.metadata ?? {});
  warnOf(request, policy, template.spec ?? {}, template.metadata ?? {});
}

function warnOf({ warn }: AdmissionRequest, { warn: standard }: Policy, spec: PodSpec, metadata: Annotated): void {
  const broken = violations(standard, spec, metadata);
  if (broken.length > 0) warn(`would violate PodSecurity ${goQuote(standardText(standard))}: ${detailsText(broken)}`);
}

/** For the audit log. as pod-security-admission/admission EvaluatePod */
function noteOf(request: AdmissionRequest, { audit: standard }: Policy, spec: PodSpec, metadata: Annotated): void {
  const broken = isOpen(standard) ? [] : violations(standard, spec, metadata);
  if (broken.length === 0) return;
  const text = `would violate PodSecurity ${goQuote(standardText(standard))}: ${detailsText(broken)}`;
  request.annotate(`${prefix}audit-violations`, text);
}

const isOpen = ({ level }: Standard): boolean => level === 'privileged';

function policyFor(client: Client, { namespace }: AdmissionRequest): Maybe<Policy | undefined> {
  return andThen(
    find(client, namespaces, { name: namespace }),
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

/** Only images and new containers may change what was judged at the creation. */
function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  const images = (each: PodSpec): string =>
    JSON.stringify([each.containers, each.initContainers].map(list => list?.map(({ image = '' }) => image) ?? []));
  if (images(spec) !== images(old)) return true;
  const before = new Map(old.ephemeralContainers?.map(({ name, image = '' }) => [name, image]));
  return (spec.ephemeralContainers ?? []).some(({ name, image = '' }) => before.get(name) !== image);
}
