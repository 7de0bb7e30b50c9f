/** Validation cases of all kinds with a pod template and a selector. */
import { containers, selector, template } from '../manifests.js';
import type { CauseCase } from './causes.js';

/** The error of a selector that does not match the template. */
export const unselected =
  'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';

const finite = { ...template, spec: { containers, restartPolicy: 'Never', activeDeadlineSeconds: 5 } };
const others = { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } };

interface Selecting {
  /** The kind, such as `Deployment`. */
  readonly who: string;
  /** The name of the kind in the error of an empty selector. */
  readonly word: string;
  /** The kind in the error of activeDeadlineSeconds. */
  readonly owner: string;
  /** Errors without a selector. By default it is required. */
  readonly without?: readonly string[];
  /** Errors of a changed selector. By default it is immutable. */
  readonly another?: readonly string[];
}

export const selecting = ({ who, word, owner, without, another }: Selecting): readonly CauseCase[] => [
  {
    name: `${who} without selector`,
    given: { spec: { template } },
    expect: without ?? ['spec.selector: Required value', unselected],
  },
  {
    name: `${who} with an empty selector`,
    given: { spec: { template, selector: {} } },
    expect: [`spec.selector: Invalid value: {}: empty selector is invalid for ${word}`],
  },
  {
    name: `${who} that does not select its pods`,
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: [unselected],
  },
  {
    name: `${who} with another restart policy and a deadline`,
    given: { spec: { template: finite, selector } },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${owner} is not Supported`,
    ],
  },
  {
    name: `${who} with another selector`,
    given: { spec: { template, selector } },
    patch: { spec: others },
    expect: another ?? ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
];
