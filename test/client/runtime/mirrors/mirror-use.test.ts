/** Mirrors whose users come and go. */
import t from 'tap';
import type { Informer, InformerFactory, Selection } from '../../../../client/runtime/interface.js';
import { useMirror } from '../../../../client/runtime/mirrors/mirror-use.js';
import { nodes, pods } from '../../../../api/kubernetes/resources.js';

t.test('a mirror is released after its last use', t => {
  const released: unknown[] = [];
  const informer = {} as Informer;
  const factory = {
    informer: () => informer,
    release: ({ resource }: { readonly resource: string }, selection?: Selection) =>
      void released.push([resource, selection]),
  } as Partial<InformerFactory> as InformerFactory;
  const live = { fieldSelector: 'status.phase!=Failed' };
  const [first, second, ofNodes] = [useMirror(factory, pods), useMirror(factory, pods), useMirror(factory, nodes)];
  const selected = useMirror(factory, pods, live);
  t.equal(first.informer, informer);
  first.end();
  t.same(released, []);
  selected.end();
  ofNodes.end();
  second.end();
  t.same(released, [
    ['pods', live],
    ['nodes', {}],
    ['pods', {}],
  ]);
  useMirror(factory, pods).end();
  t.equal(released.length, 4, 'it may be used again');
  t.end();
});
