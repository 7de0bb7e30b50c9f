import t from 'tap';
import {
  getOptions,
  listOptions,
  managerOf,
  removalFromQuery,
  removalOptions,
  watchOptions,
  writeOptions,
} from '../../../apiserver/handlers/options.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import { StatusError } from '../../../apimachinery/errors/status.js';

function refusal(act: () => unknown): string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return error instanceof StatusError ? `${error.code} ${error.message}` : String(error);
  }
}

t.test('options of GET', async t => {
  t.equal(getOptions(parseQuery('')), undefined);
  t.equal(getOptions(parseQuery('resourceVersion=5')), '5');
  const old = '400 the export parameter, deprecated since v1.14, is no longer supported';
  t.equal(
    refusal(() => getOptions(parseQuery('export=true'))),
    old,
  );
  t.equal(
    refusal(() => getOptions(parseQuery('export'))),
    old,
  );
  t.equal(
    refusal(() => getOptions(parseQuery('export=false'))),
    'accepted',
  );
});

t.test('options of lists and watches are parsed', async t => {
  t.same(listOptions(parseQuery(''), ''), {});
  t.same(listOptions(parseQuery(''), 'n'), { namespace: 'n' });
  const all = 'labelSelector=a%3Db&fieldSelector=c%3Dd&resourceVersion=7&resourceVersionMatch=Exact&limit=5&continue=x';
  t.same(listOptions(parseQuery(all), 'n'), {
    namespace: 'n',
    labelSelector: 'a=b',
    fieldSelector: 'c=d',
    resourceVersion: '7',
    resourceVersionMatch: 'Exact',
    limit: 5,
    continue: 'x',
  });
  t.same(listOptions(parseQuery('limit=0&labelSelector='), ''), {}, 'empty parameters are ignored');
  t.same(listOptions(parseQuery('limit=-1'), ''), {});
  t.same(watchOptions(parseQuery('watch=1&allowWatchBookmarks=true&sendInitialEvents=0&timeoutSeconds=9'), ''), {
    allowWatchBookmarks: true,
    sendInitialEvents: false,
    timeoutSeconds: 9,
  });
  const wrong = { 'limit=x': 'limit', 'timeoutSeconds=1.5': 'timeoutSeconds' };
  for (const given of Object.keys(wrong)) {
    const value = given.split('=')[1];
    const text = `400 strconv.ParseInt: parsing "${value}": invalid syntax`;
    t.equal(
      refusal(() => listOptions(parseQuery(given), '')),
      text,
      given,
    );
  }
  t.match(
    refusal(() => listOptions(parseQuery('limit=99999999999999999999'), '')),
    /value out of range$/,
  );
});

t.test('options of writes', async t => {
  const of = (query: string, apply?: boolean) =>
    writeOptions(
      apply === undefined ? 'CreateOptions' : 'PatchOptions',
      parseQuery(query),
      'kubectl/v1.32 (linux)',
      apply,
    );
  t.match(of(''), { fieldManager: 'kubectl', fieldValidation: 'Warn', dryRun: false, force: undefined });
  t.match(of('fieldManager=me&fieldValidation=Strict&dryRun=All'), {
    fieldManager: 'me',
    fieldValidation: 'Strict',
    dryRun: true,
    object: { kind: 'CreateOptions', dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' },
  });
  t.match(of('fieldManager=me&force=true', true), { force: true });
  const rows: readonly [query: string, apply: boolean | undefined, expect: RegExp][] = [
    [
      'dryRun=No',
      undefined,
      /^422 CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: \["No"\]: supported values: "All"$/,
    ],
    [
      'fieldValidation=No',
      undefined,
      /fieldValidation: Unsupported value: "No": supported values: "", "Ignore", "Strict", "Warn"$/,
    ],
    [
      '',
      true,
      /^422 PatchOptions\.meta\.k8s\.io "" is invalid: fieldManager: Required value: is required for apply patch$/,
    ],
    ['force=true', false, /force: Forbidden: may not be specified for non-apply patch$/],
    [`fieldManager=${'x'.repeat(129)}`, undefined, /fieldManager: Too long: may not be more than 128 bytes$/],
    ['fieldManager=a%01', undefined, /invalid character U\+0001 \(at position 1\)$/],
  ];
  for (const [query, apply, expect] of rows)
    t.match(
      refusal(() => of(query, apply)),
      expect,
      query,
    );
});

t.test('the default field manager is taken from the User-Agent', async t => {
  t.equal(managerOf('kubectl/v1.32'), 'kubectl');
  t.equal(managerOf('My Tool'), 'My Tool');
  t.equal(managerOf('a\u0001b/1'), 'ab');
  t.equal(managerOf('x'.repeat(200)), 'x'.repeat(128));
  t.equal(managerOf(`${'x'.repeat(127)}ä`), 'x'.repeat(127), 'no split characters');
  t.equal(managerOf(undefined), '');
});

t.test('options of deletions', async t => {
  const fromQuery = (query: string) => removalOptions(removalFromQuery(parseQuery(query)));
  t.match(fromQuery(''), {
    dryRun: false,
    cascades: false,
    propagationPolicy: undefined,
    gracePeriodSeconds: undefined,
  });
  t.match(fromQuery('gracePeriodSeconds=3&propagationPolicy=Foreground&dryRun=All'), {
    gracePeriodSeconds: 3,
    propagationPolicy: 'Foreground',
    dryRun: true,
  });
  t.match(fromQuery('orphanDependents=true'), { propagationPolicy: 'Orphan', cascades: false });
  t.match(fromQuery('orphanDependents=false'), { propagationPolicy: 'Background', cascades: true });
  t.match(removalOptions({ preconditions: { uid: 'u' } }), { preconditions: { uid: 'u' } });
  const reckless = removalOptions({ ignoreStoreReadErrorWithClusterBreakingPotential: true, gracePeriodSeconds: 3 });
  t.same(
    reckless.object,
    { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 3 },
    'an option behind a disabled feature gate is ignored',
  );
  t.match(
    refusal(() => fromQuery('propagationPolicy=No')),
    /propagationPolicy: Unsupported value: "No": supported values: "Foreground", "Background", "Orphan", "nil"$/,
  );
  t.match(
    refusal(() => fromQuery('propagationPolicy=Orphan&orphanDependents=true')),
    /propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set$/,
  );
});
