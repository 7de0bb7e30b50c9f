/** Members whose lists never end: each page has new objects, and another `continue` token. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Fixture, Row } from '../row.js';
import { clusters, isWatch, json, memberFlags, withMember } from './members.js';
import { get, object, post, range, remove } from './objects.js';
import { isConfigMaps, ready, resourceList, searchGroup } from './search.js';

const proxying = `${searchGroup}/proxying/karmada/proxy/api/v1/configmaps`;

const tokenOf = ({ url = '' }: IncomingMessage): string =>
  new URL(url, 'https://member').searchParams.get('continue') ?? '';

/** The least memory that lists and mirrors may have: it is filled by some 40,000 objects, whose number matters more than their bytes. */
const flags = [...memberFlags, '--cluster-memory-limit=64Mi'];

/** The text in each object, twice. */
const filler = 'x'.repeat(500);

/** Answers lists with pages without end. */
class EndlessList {
  /** How many lists were begun. */
  begun = 0;
  pages = 0;
  readonly #kind: string;
  readonly #items: number;
  /** The text of an object, split at its name. */
  readonly #parts: readonly string[];

  /** `items`: the number of objects in a page. */
  constructor(kind: string, items: number) {
    this.#kind = kind;
    this.#items = items;
    const metadata = { namespace: 'default', name: '<name>', uid: '<name>', resourceVersion: '1' };
    const whole = object('v1', kind, '', { metadata, data: { filler }, status: { allocatable: { filler } } });
    this.#parts = JSON.stringify(whole).split('<name>');
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    if (tokenOf(request) === '') this.begun++;
    const page = this.pages++;
    const items = range(this.#items, i => this.#parts.join(`c${page}-${i}`));
    const metadata = `{"resourceVersion":"1","continue":"page-${page}"}`;
    json(
      response,
      `{"kind":"${this.#kind}List","apiVersion":"v1","metadata":${metadata},"items":[${items.join(',')}]}`,
    );
  }
}

/** Waits until the server has given up a list, and begins another one. A few pages are enough for the play that is not measured. */
async function givenUp({ warmUp }: Fixture, list: EndlessList): Promise<void> {
  const isOver = (): boolean => list.begun > 1 || (warmUp && list.pages > 20);
  for (let i = 0; i < 2000 && !isOver(); i++) await setTimeout(100);
  if (!isOver()) throw new Error('the list was not given up');
}

interface Registered {
  readonly fixture: Fixture;
  readonly list: EndlessList;
  /** Returns how many lists have ended. */
  readonly ended: () => number;
}

/** Creates a ResourceRegistry for the ConfigMaps of a member, whose lists never end if their request has `selector`. */
const registered = (
  name: string,
  selector: string,
  annotations: Readonly<Record<string, string>>,
  use: (registered: Registered) => Promise<void>,
): Row => ({
  name: `endless-lists/${name}`,
  size: 2000,
  flags,
  play(fixture) {
    const list = new EndlessList('ConfigMap', fixture.size);
    let ended = 0;
    const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (request.url === '/api/v1') {
        json(response, resourceList);
        return true;
      }
      if (!isConfigMaps(request) || isWatch(request)) return false;
      if (request.url?.includes(selector)) list.answer(request, response);
      else if (++ended > 0) return false;
      return true;
    };
    return withMember(fixture, answer, async ({ name }) => {
      await ready(fixture, name);
      const spec = {
        targetCluster: { clusterNames: [name] },
        resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      };
      const metadata = { annotations };
      const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, { metadata, spec });
      await fixture.must(post(`${searchGroup}/resourceregistries`, registry));
      await use({ fixture, list, ended: () => ended });
      await fixture.must(remove(`${searchGroup}/resourceregistries/${name}`));
    });
  },
});

/** Reads a list for which the server holds that of the member, whose objects are mirrored in part. Expects a refusal. */
const held = (name: string, read: (fixture: Fixture, path: string) => Promise<string>): Row =>
  registered(
    name,
    'labelSelector=a',
    { 'search.flagship.io/kept-fields': 'type' },
    async ({ fixture, list, ended }) => {
      for (let i = 0; i < 100 && ended() === 0; i++) await setTimeout(100);
      if (fixture.warmUp) return;
      const answer = await read(fixture, `${proxying}?labelSelector=a%3Db`);
      const isRefused = answer.includes('the lists of members take more than') && list.begun === 1;
      if (!isRefused) throw new Error(`${list.begun} lists, ${answer.slice(0, 500)}`);
    },
  );

const wholeList = async (fixture: Fixture, path: string): Promise<string> =>
  (await fixture.send(get(`${path}&pretty=true`))).text;

/** Returns what a watch sends until its end. */
async function watched({ target }: Fixture, path: string): Promise<string> {
  const request = https.get({ ...target, servername: 'localhost', path: `${path}&watch=true`, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}

export const endlessListRows: readonly Row[] = [
  registered('mirror', '', {}, ({ fixture, list }) => givenUp(fixture, list)),
  held('list', wholeList),
  held('watch', watched),
  {
    name: 'endless-lists/nodes',
    size: 2000,
    flags,
    play(fixture) {
      const list = new EndlessList('Node', fixture.size);
      const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
        if (!/\/nodes(\?|$)/.test(request.url ?? '') || isWatch(request)) return false;
        list.answer(request, response);
        return true;
      };
      return withMember(fixture, answer, () => givenUp(fixture, list));
    },
  },
  {
    name: 'endless-lists/all-clusters',
    size: 16,
    flags,
    // All pages together have 220 MiB.
    peakBytes: 128 << 20,
    play(fixture) {
      const list = new EndlessList('ConfigMap', fixture.size);
      const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
        if (!/\/configmaps\?.*limit=/.test(request.url ?? '') || !/a%3Db/.test(request.url ?? '')) return false;
        // In the play that is not measured, the list ends.
        if (fixture.warmUp && list.pages > 20) return false;
        list.answer(request, response);
        return true;
      };
      return withMember(fixture, answer, async ({ name }) => {
        await ready(fixture, name);
        await fixture.send(get(`${clusters}/*/proxy/api/v1/configmaps?labelSelector=a%3Db`));
      });
    },
  },
];
