/** Replays recorded creates of the area validation whose outcome depends only on the rules of the kind. */
import t from 'tap';
import { type Create, causes, creates, outcomeOf, wantedCauses } from './corpus.js';

/** Returns whether the rules of the kind decide the outcome, without admission and the store. */
const decided = ({ want, definition, body }: Create): boolean => {
  if (definition.plural === 'services' && (body['spec'] as { clusterIP?: string } | undefined)?.clusterIP) return false;
  // Rules that depend on the user are tested with their kind.
  if (definition.group === 'certificates.k8s.io') return false;
  return want.status === 201 || want.status === 422;
};

const all = creates('validation').filter(decided);

t.test(`causes of ${all.length} creates`, async t => {
  for (const create of all) {
    const want = create.want.status === 201 ? [] : wantedCauses(create);
    t.strictSame(causes((await outcomeOf(create)).faults), want, create.name);
  }
});
