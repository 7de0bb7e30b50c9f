// as pkg/apis/core/validation ValidateEventCreate, ValidateEventUpdate
import { sameField } from '../../../registry/strategy/same-value.js';
import { checkDns1123Subdomain, checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { changedMetadata, newMetadata } from '../../../registry/strategy/metadata-rules.js';
import { nameRuleOf } from '../../../registry/strategy/strategy.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { Event } from '../../../api/kubernetes/core.js';

const maxLength = 128;
const maxNoteLength = 1024;

function length(field: Field<string>, max: number): void {
  if (Buffer.byteLength(field.value ?? '') > max) field.invalid(`can have at most ${max} characters`, '');
}

/** Events with an event time must have all fields that newer events have. `controller`: the group's name for the reporter. */
function coreEvent(event: Field<Event>, controller: string): void {
  const namespace = event.value?.metadata.namespace ?? '';
  const about = event.at('involvedObject').at('namespace');
  const subject = about.value ?? '';
  const mismatch = (): void => about.invalid('does not match event.namespace', subject);
  if (event.at('eventTime').isEmpty) {
    if (subject === '' ? namespace !== '' && namespace !== 'default' : namespace !== subject) mismatch();
  } else {
    if (subject === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
    reported(event, controller);
  }
  for (const text of checkDns1123Subdomain(namespace)) event.at('metadata').as('namespace').invalid(text, namespace);
}

function reported(event: Field<Event>, controller: string): void {
  const reporter = event.at('reportingComponent').as(controller);
  if (reporter.isEmpty) reporter.required();
  reporter.check(checkQualifiedName);
  for (const field of [event.at('reportingInstance'), event.at('action'), event.at('reason')]) {
    if (field.isEmpty) field.required();
    length(field, maxLength);
  }
  length(event.at('message'), maxNoteLength);
}

export const eventRules: readonly Validate[] = [validate<Event>(event => coreEvent(event, 'reportingComponent'))];

function series(event: Field<Event>): void {
  const field = event.at('series');
  if (!field.isSet) return;
  if ((field.value?.count ?? 0) < 2) field.at('count').invalid('should be at least 2', '');
  if (field.at('lastObservedTime').isEmpty) field.at('lastObservedTime').required();
}

/** For events.k8s.io: the fields that only the core group has must be unset. */
export const newEventRules: readonly Validate[] = [
  validate<Event>(event => coreEvent(event, 'reportingController')),
  newMetadata(true, nameRuleOf(checkDns1123Subdomain)),
  validate<Event>(event => {
    series(event);
    if (event.at('eventTime').isEmpty) event.at('eventTime').required();
    const type = event.at('type');
    if (type.value !== 'Normal' && type.value !== 'Warning') type.invalid(`has invalid value: ${type.value ?? ''}`, '');
    for (const field of [event.at('firstTimestamp'), event.at('lastTimestamp'), event.at('count')])
      if (!field.isEmpty) field.invalid('needs to be unset', '');
    const { component, host } = event.value?.source ?? {};
    if (component || host) event.at('source').invalid('needs to be unset', '');
  }),
];

const frozen = [
  ['involvedObject', 'ObjectReference'],
  ['reason'],
  ['message'],
  ['source', 'EventSource'],
  ['firstTimestamp'],
  ['lastTimestamp'],
  ['count'],
  ['reason'],
  ['type'],
  ['eventTime'],
  ['action'],
  ['related', '*ObjectReference'],
  ['reportingComponent'],
  ['reportingInstance'],
] as const;

/** Only the series can change. */
export const newEventChangeRules: readonly Validate[] = [
  validate<Event>(event => coreEvent(event, 'reportingController')),
  changedMetadata,
  validateChange<Event>((event, old) => {
    if (!sameField(event.value?.series, old.series, event.at('series').type)) series(event);
    for (const [name, form] of frozen) {
      const field = event.at(name) as Field<unknown>;
      const shown = (): unknown =>
        form === undefined ? (field.value ?? emptyOf(name)) : shownInternal(form, field.value);
      immutable(name === 'reportingComponent' ? field.as('reportingController') : field, old[name], shown);
    }
  }),
];

/** Returns what Go prints for an unset field. */
function emptyOf(name: string): unknown {
  if (name === 'count') return 0;
  return name.endsWith('Timestamp') || name === 'eventTime' ? null : '';
}
