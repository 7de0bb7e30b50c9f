/** Custom resources whose apiVersion or kind does not match the path. as customResourceValidator ValidateTypeMeta */
import t from 'tap';
import { customKind, definitionsPath, object, version, whole } from '../../custom-kinds.js';
import { type Ask, httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const path = '/apis/example.com/v1/namespaces/default/widgets';
await ask(`POST ${definitionsPath}`, { body: customKind('Widget', [version('v1', object({ n: whole }))]) });
while ((await ask(`GET ${path}`)).status !== 200) await new Promise(resolve => setImmediate(resolve));
const metadata = { name: 'a' };
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
await ask(`POST ${path}`, { body: widget });

const other = 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Widget';
const mismatch = (refusal: string): string =>
  `the API version in the data (${refusal}) does not match the expected API version (example.com/v1)`;
const merge = (patch: object): Ask => ({ body: patch, type: 'application/merge-patch+json' });

const rows: readonly { what: string; with: Ask; expect: readonly [number, string | RegExp] }[] = [
  { what: `POST ${path}`, with: { body: { ...widget, kind: 'Other' } }, expect: [422, other] },
  { what: `PUT ${path}/a`, with: { body: { ...widget, kind: 'Other' } }, expect: [422, other] },
  { what: `PATCH ${path}/a`, with: merge({ kind: 'Other' }), expect: [422, other] },
  {
    what: `PATCH ${path}/a`,
    with: merge({ kind: null }),
    expect: [422, /^ "" is invalid: patch: Invalid value: .*: Object 'Kind' is missing in '\{/],
  },
  {
    what: `PATCH ${path}/a`,
    with: merge({ apiVersion: 'example.com/v2' }),
    expect: [
      422,
      'Widget.example.com "a" is invalid: apiVersion: Invalid value: "example.com/v2": must be example.com/v1',
    ],
  },
  { what: `POST ${path}`, with: { body: { ...widget, apiVersion: 'v1' } }, expect: [400, mismatch('v1')] },
  { what: `POST ${path}`, with: { body: { kind: 'Widget', metadata } }, expect: [400, mismatch('')] },
  {
    what: `POST ${path}`,
    with: { body: { apiVersion: 'example.com/v1' } },
    expect: [
      400,
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)`,
    ],
  },
];

t.test('apiVersion and kind must match the path', async t => {
  for (const { what, with: given, expect } of rows) {
    const { status, json } = await ask(what, given);
    t.equal(status, expect[0], what);
    if (typeof expect[1] === 'string') t.equal(json.message, expect[1], what);
    else t.match(json.message, expect[1], what);
  }
  t.match((await ask(`GET ${path}/a`)).json, widget, 'nothing has changed');
});
