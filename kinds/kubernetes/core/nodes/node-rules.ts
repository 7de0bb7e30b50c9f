// as pkg/apis/core/validation ValidateNode, ValidateNodeUpdate
import { PrintedValue } from '../../../../apimachinery/errors/faults.js';
import { goJson, goQuote } from '../../../../lib/go/go-text.js';
import { cidrWarnings, isV4, parseCidr } from '../../../../apimachinery/net/ip.js';
import { checkLabelKey, checkLabelValue } from '../../../../apimachinery/meta/names.js';
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { OwnerReference } from '../../../../apimachinery/interface.js';
import { parseStrict, valueOf } from '../../../../apimachinery/codec/strict-json.js';
import type { Validate } from '../../../../registry/interface.js';
import { annotationList } from '../annotation-list.js';
import { Field, annotationsOf } from '../../../shared/rules/field.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { legacyCidr } from '../../../shared/rules/ip-rules.js';
import { positive } from '../../../shared/rules/numbers.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import { warnings } from '../../../shared/rules/warnings.js';
import type { Node, Taint } from '../../../../api/kubernetes/core.js';
import { resourceQuantity } from '../shared/resource-rules.js';
import { taintEffect } from '../pod-spec/toleration-rules.js';
import { preferAvoidPodsAnnotation } from '../../../../api/kubernetes/well-known.js';

function taints(list: Field<Taint[]>): void {
  const seen = new Set<string>();
  for (const taint of list.items()) {
    const { key = '', value = '', effect = '' } = taint.value ?? {};
    for (const text of checkLabelKey(key)) taint.at('key').invalid(text, key);
    const texts = checkLabelValue(value);
    if (texts.length > 0) taint.at('value').invalid(texts.join(';'), value);
    taintEffect(taint.at('effect'));
    const id = `${effect}/${key}`;
    if (seen.has(id)) twice(taint);
    seen.add(id);
  }
}

function twice(taint: Field<Taint>): void {
  const before = taint.faults.length;
  taint.duplicate(shownInternal('Taint', taint.value));
  const [fault] = taint.faults.splice(before);
  if (fault) taint.add({ ...fault, message: `${fault.message}: taints must be unique by key and effect pair` });
}

const taintList = 'scheduler.alpha.kubernetes.io/taints';
const taintType = { name: 'Taint', fields: { Key: 'string', Value: 'string', Effect: 'core.TaintEffect' } };

interface AvoidPods {
  readonly preferAvoidPods?: readonly { readonly podSignature?: { readonly podController?: OwnerReference } }[];
}

/** Annotations from before these fields existed. */
function annotated(annotations: Field<Record<string, string>>): void {
  const report = (path: string, key: string, error: unknown): void =>
    annotations.as(path).invalid((error as Error).message, key);
  const { [taintList]: taintText = '', [preferAvoidPodsAnnotation]: avoidText = '' } = annotations.value ?? {};
  try {
    const list = taintText === '' ? [] : annotationList<Taint>(taintText, taintType);
    taints(new Field(list, `${annotations.path}.${taintList}`, annotations.faults));
  } catch (error) {
    report(annotations.path, taintList, error);
  }
  try {
    if (avoidText !== '') avoided(valueOf(parseStrict(avoidText)) as AvoidPods | null, annotations);
  } catch (error) {
    report(`${annotations.path}.AvoidPods`, preferAvoidPodsAnnotation, error);
  }
}

function avoided(avoid: AvoidPods | null, annotations: Field<unknown>): void {
  for (const [i, entry] of (avoid?.preferAvoidPods ?? []).entries()) {
    const signature = annotations.as(`${annotations.path}.${preferAvoidPodsAnnotation}[${i}].PodSignature`);
    const controller = entry.podSignature?.podController;
    if (!controller) signature.required();
    else if (!controller.controller)
      signature.as(`${signature.path}.PodController.Controller`).invalid('must point to a controller', false);
  }
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const maxFeatureLength = 253;

function features(list: Field<string[]>): void {
  let before: string | undefined;
  for (const feature of list.items()) {
    const name = feature.value ?? '';
    if (before === name) feature.duplicate();
    else if (before !== undefined && before > name) feature.invalid('list must be sorted alphabetically');
    before = name;
    const head = `invalid feature name ${goQuote(name)}: must`;
    if (name.length > maxFeatureLength) feature.invalid(`${head} be no more than ${maxFeatureLength} characters`, name);
    else if (!featureName.test(name))
      feature.invalid(
        `${head} start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
        name,
      );
  }
}

/** Both maps may be long, so each is validated by a rule of its own. */
const resources = (['capacity', 'allocatable'] as const).map(kind => (node: Field<Node>): void => {
  const amounts: Field<Record<string, string | number>> = node.at('status').at(kind);
  const { path } = amounts;
  for (const [name, amount] of amounts.entries()) resourceQuantity(name, amount.as(`${path}.${name}`));
});

function cidrs(list: Field<string[]>): void {
  for (const cidr of list.items()) legacyCidr(cidr);
  const all = list.value ?? [];
  if (all.length < 2) return;
  const parsed = all.map(text => parseCidr(text, { sloppy: true }));
  const families = new Set(parsed.map(cidr => cidr && isV4(cidr.address)));
  const bad = parsed.findIndex(cidr => !cidr);
  if (bad >= 0)
    list.internal(
      `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${all[bad]})`,
    );
  if (families.size < 2 || bad >= 0 || all.length > 2)
    list.invalid('may specify no more than one CIDR for each IP family');
}

/** Validates the taints of a node, also when its status is written. The path of taints is upstream's. */
function taintsOf(node: Field<Node>): void {
  taints(node.at('spec').at('taints').as('metadata.taints'));
}

function annotatedAndTainted(node: Field<Node>): void {
  annotated(annotationsOf(node));
  taintsOf(node);
}

function parts(node: Field<Node>): void {
  const swap = node.at('status').at('nodeInfo').at('swap').at('capacity');
  if (swap.isSet) positive(swap.as('metadata.nodeSwapStatus.capacity'));
  features(node.at('status').at('declaredFeatures'));
  cidrs(node.at('spec').at('podCIDRs'));
}

function change(node: Field<Node>, old: Node): void {
  const spec = node.at('spec');
  features(node.at('status').at('declaredFeatures'));
  const seen = new Set<string>();
  for (const address of node.at('status').at('addresses').items()) {
    const { type = '', address: text = '' } = address.value ?? {};
    const id = goJson({ Type: type, Address: text });
    if (seen.has(id)) address.duplicate(new PrintedValue(id));
    seen.add(id);
  }
  cidrChange(spec.at('podCIDRs'), old.spec?.podCIDRs ?? []);
  const provider = spec.at('providerID');
  if (old.spec?.providerID && old.spec.providerID !== provider.value)
    provider.forbidden('node updates may not change providerID except from "" to valid');
  taintsOf(node);
  if ((spec.value?.externalID ?? '') !== (old.spec?.externalID ?? ''))
    spec.at('externalID').forbidden('may not be updated');
}

function cidrChange(list: Field<string[]>, old: readonly string[]): void {
  const text = 'node updates may not change podCIDR except from "" to valid';
  const now = list.value ?? [];
  if (old.length === 0) return;
  if (now.length !== old.length) list.forbidden(text);
  else
    old.forEach((cidr, i) => {
      if (!semanticEqual(cidr, now[i])) list.forbidden(text);
    });
}

const amountRules: readonly Validate[] = resources.map(rule => validate<Node>(rule));

export const nodeRules: readonly Validate[] = [
  validate<Node>(annotatedAndTainted),
  ...amountRules,
  validate<Node>(parts),
];
export const nodeStatusRules: readonly Validate[] = [
  validateChange<Node>(node => annotated(annotationsOf(node))),
  ...amountRules,
  validateChange<Node>(change),
];
export const nodeChangeRules: readonly Validate[] = [...nodeRules, ...nodeStatusRules];

// as pkg/registry/core/node nodeWarnings
export const nodeWarnings = warnings<Node>((node, warn) => {
  const spec = node.at('spec');
  if (spec.at('configSource').isSet) warn('spec.configSource: the feature is removed');
  if (!spec.at('externalID').isEmpty) warn('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  for (const cidr of spec.at('podCIDRs').items())
    for (const text of cidrWarnings(cidr.path, cidr.value ?? '')) warn(text);
});
