/** What objects and changes are refused for, whole: every cause, in order, and the Status around them. */
import type { Test } from 'tap';
import { type Scene, scene } from './kind-scene.js';
import { type Reply, merge } from './wire.js';

export interface CauseCase {
  readonly name: string;
  /** Of the collection. */
  readonly path: string;
  readonly kind: string;
  /** A new object; with `patch`, the one that is changed. */
  readonly given: object;
  /** A merge patch. */
  readonly patch?: object;
  /** The subresource that is patched. */
  readonly part?: string;
  /** `field: message` of each cause; `…` at the end stands for more. Nothing: it is taken. */
  readonly expect: readonly string[];
  readonly warnings?: readonly string[];
}

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

function judged(t: Test, { name, kind, path, expect, warnings }: CauseCase, objectName: string, reply: Reply): void {
  const { status, object, headers } = reply;
  if (warnings) t.strictSame(warningsOf(headers['warning']), warnings, `${name}: warnings`);
  if (expect.length === 0) {
    t.ok(status < 300, `${name}: ${String(object.message)}`);
    return;
  }
  const details = object['details'] as { causes?: readonly Cause[]; group?: string } | undefined;
  const causes = details?.causes ?? [];
  const told = causes.map((cause, i) => {
    const text = textOf(cause);
    const wanted = expect[i];
    return wanted?.endsWith('…') && text.startsWith(wanted.slice(0, -1)) ? wanted : text;
  });
  t.strictSame(told, expect, name);
  t.strictSame(
    causes.map(({ reason }) => reason),
    causes.map(({ message }) => reasons[/^[A-Z][a-z ]+/.exec(message)?.[0] ?? '']),
    `${name}: reasons`,
  );
  const [, root, first = ''] = path.split('/');
  // Events are stored, and judged, as those of the core group.
  const group = root === 'api' || kind === 'Event' ? '' : first;
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

/** The texts of Warning headers. */
function warningsOf(header: unknown): string[] {
  const texts = String(header ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g);
  return [...texts].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

async function ask({ ask }: Scene, each: CauseCase, name: string): Promise<Reply> {
  const { path, kind, given, patch, part } = each;
  const [, root, group = '', version = ''] = path.split('/');
  const apiVersion = root === 'api' ? group : `${group}/${version}`;
  const object = { apiVersion, kind, metadata: { name }, ...given };
  if (!patch) return ask(`POST ${path}?dryRun=All`, object);
  const made = await ask(`POST ${path}`, object);
  if (made.status !== 201) throw new Error(`${each.name}: ${String(made.object.message)}`);
  return ask(`PATCH ${path}/${name}${part ? `/${part}` : ''}?dryRun=All`, patch, merge);
}

/** Objects have names of their own, unless they say which. */
export async function causesTable(t: Test, cases: readonly CauseCase[]): Promise<void> {
  const server = await scene(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await server.ask('POST /api/v1/namespaces/default/serviceaccounts', account);
  for (const [i, each] of cases.entries()) {
    const { metadata } = each.given as { metadata?: { name?: string } };
    const name = metadata?.name ?? `x${i}`;
    judged(t, each, name, await ask(server, each, name));
  }
}
