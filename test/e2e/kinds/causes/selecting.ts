/** What everything that selects its pods is refused for. */
import { containers, selector, template } from '../manifests.js';
import type { CauseCase } from './causes.js';

/** The template is not what the selector looks for. */
export const unselected =
  'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';

const ends = { ...template, spec: { containers, restartPolicy: 'Never', activeDeadlineSeconds: 5 } };
const others = { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } };

export interface Selecting {
  /** `Deployment`. */
  readonly who: string;
  /** Its kind, as an empty selector is told. */
  readonly word: string;
  /** The kind that says that pods may not end. */
  readonly owner: string;
  /** Absent: the selector is required. */
  readonly without?: readonly string[];
  /** Another selector. Absent: it is immutable. */
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
    name: `${who} whose pods end`,
    given: { spec: { template: ends, selector } },
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
