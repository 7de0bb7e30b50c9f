/** Runs tables of refused objects and changes, with all causes in order, and the whole Status. */
import t, { type Test } from 'tap';
import { type Reply, merge } from '../../wire.js';
import { type Place, placeOf } from '../facts.js';
import { nameOf, objectOf, sharedFixture, withObject } from '../fixture.js';

export interface CauseCase {
  readonly name: string;
  /** The new object, or with `patch` the object that is changed. */
  readonly given: object;
  /** A merge patch of the object. */
  readonly patch?: object;
  /** The subresource that is patched. */
  readonly part?: string;
  /** The namespace of a new object. By default it is `default`. */
  readonly namespace?: string;
  /** The causes, as `field: message`; `…` at the end matches any text. No causes mean that the request is accepted. */
  readonly expect: readonly string[];
  readonly warnings?: readonly string[];
}

/** The warning of a name that pods get as a hostname. */
export const dotted =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]';

const reasons: Readonly<Record<string, string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  'Unsupported value': 'FieldValueNotSupported',
  'Duplicate value': 'FieldValueDuplicate',
  'Not found': 'FieldValueNotFound',
  Forbidden: 'FieldValueForbidden',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Internal error': 'InternalError',
};

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

const textOf = ({ field, message }: Cause): string => `${field}: ${message}`;

function checkReply(
  t: Test,
  place: Place,
  { name, expect, warnings }: CauseCase,
  objectName: string,
  reply: Reply,
): void {
  const { status, object, headers } = reply;
  if (warnings) t.strictSame(warningsOf(headers['warning']), warnings, `${name}: warnings`);
  if (expect.length === 0) {
    t.ok(status < 300, `${name}: ${String(object.message)}`);
    return;
  }
  const details = object['details'] as { causes?: readonly Cause[] } | undefined;
  const causes = details?.causes ?? [];
  const actual = causes.map((cause, i) => {
    const text = textOf(cause);
    const wanted = expect[i];
    return wanted?.endsWith('…') && text.startsWith(wanted.slice(0, -1)) ? wanted : text;
  });
  t.strictSame(actual, expect, name);
  t.strictSame(
    causes.map(({ reason }) => reason),
    causes.map(({ message }) => reasons[/^[A-Z][a-z ]+/.exec(message)?.[0] ?? '']),
    `${name}: reasons`,
  );
  const { kind, apiVersion } = place;
  // Events are stored and validated as those of the core group.
  const [group = ''] = kind === 'Event' || !apiVersion.includes('/') ? [] : apiVersion.split('/');
  const texts = [...new Set(causes.map(textOf))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  t.match(
    { status, ...object },
    {
      ...{ status: 'Failure', reason: 'Invalid', code: 422 },
      details: { name: objectName, kind, ...(group !== '' && { group }) },
      message: `${kind}${group && `.${group}`} "${objectName}" is invalid: ${list}`,
    },
    `${name}: status`,
  );
}

/** Returns the texts of Warning headers. */
function warningsOf(header: unknown): string[] {
  const texts = String(header ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g);
  return [...texts].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

async function checkCase(t: Test, resource: string, each: CauseCase): Promise<void> {
  const fixture = await sharedFixture();
  const place = placeOf(resource);
  const { given, patch, part, namespace = 'default' } = each;
  if (patch) {
    await withObject(t, { fixture, resource, ...each }, async (path, name) => {
      const reply = await fixture.ask(`PATCH ${path}${part ? `/${part}` : ''}?dryRun=All`, patch, merge);
      checkReply(t, place, each, name, reply);
    });
    return;
  }
  const name = nameOf(given);
  const path = place.path.replace('/default/', `/${namespace}/`);
  checkReply(t, place, each, name, await fixture.ask(`POST ${path}?dryRun=All`, objectOf(place, name, given)));
}

/** Tests the validation of a resource, such as `pods` or `events.k8s.io/v1 events`. */
export function causes(resource: string, cases: readonly CauseCase[]): void {
  t.test(`${resource}: validation errors and warnings`, async t => {
    for (const each of cases) await checkCase(t, resource, each);
  });
}
