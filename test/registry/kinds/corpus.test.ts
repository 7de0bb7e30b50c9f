/** Recorded creates of the area validation, as far as the rules of a kind alone decide them. */
import t from 'tap';
import { type Create, causes, creates, outcomeOf, wantedCauses } from './corpus.js';

/** Refused by admission, not by the rules of the kind; or the rules need the store. */
const decided = ({ want, definition, body }: Create): boolean => {
  if (definition.plural === 'services' && (body['spec'] as { clusterIP?: string } | undefined)?.clusterIP) return false;
  return want.status === 201 || want.status === 422;
};

/** Kinds whose rules are still to come. */
const open = new Set(['validatingwebhookconfigurations', 'validatingadmissionpolicies', 'certificatesigningrequests']);
const all = creates('validation').filter(create => decided(create) && !open.has(create.definition.plural));

t.test(`causes of ${all.length} creates`, t => {
  for (const create of all) {
    const want = create.want.status === 201 ? [] : wantedCauses(create);
    t.strictSame(causes(outcomeOf(create).faults), want, create.name);
  }
  t.end();
});
