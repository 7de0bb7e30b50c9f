/** Recorded creates of the area validation, as far as the rules of a kind alone decide them. */
import t from 'tap';
import { type Create, causes, creates, outcomeOf, wantedCauses } from './corpus.js';

/** Refused by admission, not by the rules of the kind; or the rules need the store. */
const decided = ({ want, definition, body }: Create): boolean => {
  if (definition.plural === 'services' && (body['spec'] as { clusterIP?: string } | undefined)?.clusterIP) return false;
  // Rules that ask who the user is are tested with theirs.
  if (definition.group === 'certificates.k8s.io') return false;
  return want.status === 201 || want.status === 422;
};

const all = creates('validation').filter(decided);

t.test(`causes of ${all.length} creates`, t => {
  for (const create of all) {
    const want = create.want.status === 201 ? [] : wantedCauses(create);
    t.strictSame(causes(outcomeOf(create).faults), want, create.name);
  }
  t.end();
});
