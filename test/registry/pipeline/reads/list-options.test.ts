/** The interpretation of the parameters of lists and watches. */
import t from 'tap';
import type { ListQuery, WatchQuery } from '../../../../client/interface.js';
import { encodeContinue } from '../../../../registry/pipeline/reads/continue-token.js';
import {
  checkListOptions,
  checkWatch,
  planList,
  planWatch,
  readVersion,
} from '../../../../registry/pipeline/reads/list-options.js';

const wrong = (query: object): WatchQuery => query;
const invalid = 'ListOptions.meta.k8s.io "" is invalid: ';
const match = 'resourceVersionMatch';

/** Returns the message of the error that `work` throws; 'allowed' if it does not throw. */
function refused(work: () => void): string {
  try {
    work();
    return 'allowed';
  } catch (error) {
    return (error as Error).message;
  }
}

t.test('the parameters of a list are checked', async t => {
  const rows: readonly { name: string; query: object; expect: string }[] = [
    { name: 'none', query: {}, expect: 'allowed' },
    { name: 'exactly one revision', query: { resourceVersion: '5', resourceVersionMatch: 'Exact' }, expect: 'allowed' },
    {
      name: 'not older than any',
      query: { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' },
      expect: 'allowed',
    },
    {
      name: 'a match without a revision',
      query: { resourceVersionMatch: 'Exact' },
      expect: `${invalid}${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`,
    },
    {
      name: 'exactly any revision',
      query: { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      expect: `${invalid}${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`,
    },
    {
      name: 'an unknown match',
      query: { resourceVersion: '1', resourceVersionMatch: 'Newest' },
      expect: `${invalid}${match}: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""`,
    },
    {
      name: 'the next page with a match',
      query: { resourceVersion: '1', resourceVersionMatch: 'Exact', continue: 'x' },
      expect: `${invalid}${match}: Forbidden: ${match} is forbidden when continue is provided`,
    },
    {
      name: 'initial events',
      query: { sendInitialEvents: false },
      expect: `${invalid}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    },
    {
      name: 'several faults',
      query: { resourceVersionMatch: 'Exact', continue: 'x' },
      expect: `${invalid}[${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided, ${match}: Forbidden: ${match} is forbidden when continue is provided]`,
    },
  ];
  for (const { name, query, expect } of rows)
    t.equal(
      refused(() => checkListOptions(wrong(query))),
      expect,
      name,
    );
});

t.test('the parameters of a watch are checked', async t => {
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  const rows: readonly { name: string; query: object; expect: string }[] = [
    { name: 'none', query: {}, expect: 'allowed' },
    { name: 'initial events', query: initial, expect: 'allowed' },
    { name: 'no initial events', query: { ...initial, sendInitialEvents: false }, expect: 'allowed' },
    {
      name: 'initial events without a match',
      query: { sendInitialEvents: true },
      expect: `${invalid}${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`,
    },
    {
      name: 'a match without initial events',
      query: { resourceVersionMatch: 'NotOlderThan' },
      expect: `${invalid}${match}: Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`,
    },
    {
      name: 'an exact match',
      query: { ...initial, resourceVersionMatch: 'Exact' },
      expect: `${invalid}[${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan, ${match}: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    },
    {
      name: 'the next page',
      query: { ...initial, continue: 'x' },
      expect: `${invalid}${match}: Forbidden: ${match} is forbidden when continue is provided`,
    },
  ];
  for (const { name, query, expect } of rows)
    t.equal(
      refused(() => checkWatch(wrong(query))),
      expect,
      name,
    );
});

t.test('the parameters of a list determine its state', async t => {
  const token = encodeContinue(7, 'default/a');
  const rows: readonly { name: string; query: ListQuery; expect: object }[] = [
    { name: 'no revision: the newest', query: {}, expect: { state: { type: 'newest' }, limit: 0 } },
    { name: 'a page of the newest', query: { limit: 5 }, expect: { state: { type: 'newest' }, limit: 5 } },
    { name: '0: any, whole', query: { resourceVersion: '0', limit: 5 }, expect: { state: { type: 'any' }, limit: 0 } },
    {
      name: 'a revision: not before',
      query: { resourceVersion: '7' },
      expect: { state: { type: 'notBefore', revision: 7 }, limit: 0 },
    },
    {
      name: 'a page of a revision: exactly that',
      query: { resourceVersion: '7', limit: 5 },
      expect: { state: { type: 'exact', revision: 7 }, limit: 5 },
    },
    {
      name: 'a page not before a revision',
      query: { resourceVersion: '7', limit: 5, resourceVersionMatch: 'NotOlderThan' },
      expect: { state: { type: 'notBefore', revision: 7 }, limit: 5 },
    },
    {
      name: 'exactly a revision',
      query: { resourceVersion: '7', resourceVersionMatch: 'Exact' },
      expect: { state: { type: 'exact', revision: 7 }, limit: 0 },
    },
    {
      name: 'the next page',
      query: { continue: token, limit: 5 },
      expect: { state: { type: 'rest', token: { revision: 7, start: 'default/a\u0000' } }, limit: 5 },
    },
    {
      name: 'the next page of any',
      query: { continue: token, resourceVersion: '0' },
      expect: { state: { type: 'rest' }, limit: 0 },
    },
  ];
  for (const { name, query, expect } of rows) t.match(planList(query), expect, name);
  t.equal(
    refused(() => planList({ continue: token, resourceVersion: '7' })),
    'specifying resource version is not allowed when using continue',
  );
  t.match(
    refused(() => planList({ resourceVersion: 'x' })),
    /^invalid resource version: resourceVersion: Invalid value: "x": /,
  );
  t.match(
    refused(() => planList({ continue: '*' })),
    /^invalid continue token: /,
  );
});

t.test('the parameters of a watch determine its start', async t => {
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const;
  const rows: readonly { name: string; query: WatchQuery; expect: object }[] = [
    {
      name: 'no revision: existing objects come first',
      query: {},
      expect: { initial: { notBefore: undefined }, from: undefined },
    },
    {
      name: '0: existing objects come first, at the revision of the cache',
      query: { resourceVersion: '0' },
      expect: { initial: { notBefore: 0 }, from: undefined },
    },
    { name: 'a revision: changes after it', query: { resourceVersion: '7' }, expect: { initial: undefined, from: 7 } },
    { name: 'initial events', query: initial, expect: { initial: { notBefore: undefined }, from: undefined } },
    {
      name: 'initial events not before a revision',
      query: { ...initial, resourceVersion: '7' },
      expect: { initial: { notBefore: 7 }, from: undefined },
    },
    {
      name: 'no initial events: changes from now on',
      query: { ...initial, sendInitialEvents: false },
      expect: { initial: undefined, from: undefined },
    },
    {
      name: 'no initial events: changes after a revision',
      query: { ...initial, sendInitialEvents: false, resourceVersion: '7' },
      expect: { initial: undefined, from: 7 },
    },
  ];
  for (const { name, query, expect } of rows) t.strictSame(planWatch(query), expect, name);
});

t.test('the revision of a read is a number, or absent', async t => {
  t.equal(readVersion(undefined), undefined);
  t.equal(readVersion(''), undefined);
  t.equal(readVersion('0'), 0);
  t.equal(readVersion('12'), 12);
  t.throws(() => readVersion('x'));
});
