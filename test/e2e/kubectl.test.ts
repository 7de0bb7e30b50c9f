/** Commands of kubectl against a real server. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { kubectlFor, needsKubectl } from './kubectl.js';

const configMap = (name: string, data: Record<string, string>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}
`;

t.test('kubectl get prints all formats', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  t.equal((await kubectl('create -f -', { input: deployment })).out, 'deployment.apps/web created\n');
  const rows: readonly { given: string; expect: RegExp }[] = [
    { given: 'get deploy', expect: /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +0 +0 +\d+s\n$/ },
    { given: 'get deploy -o wide', expect: /CONTAINERS +IMAGES +SELECTOR\nweb .* web +nginx:1\.27 +app=web\n$/ },
    { given: 'get deploy web --no-headers', expect: /^web +0\/2/ },
    { given: 'get deploy -A', expect: /^NAMESPACE +NAME.*\ndefault +web/ },
    { given: 'get deploy --show-labels', expect: /LABELS\nweb.* app=web\n$/ },
    { given: 'get deploy -l app=web -o name', expect: /^deployment\.apps\/web\n$/ },
    { given: 'get deploy -l app!=web -o name', expect: /^$/ },
    { given: 'get deploy web -o yaml', expect: /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/ },
    { given: 'get deploy web -o json', expect: /^\{\n {4}"apiVersion": "apps\/v1",\n/ },
    { given: "get deploy web -o jsonpath='{.spec.replicas} {.status}'", expect: /^2 \{\}$/ },
    { given: 'get deploy -o custom-columns=N:.metadata.name,R:.spec.replicas', expect: /^N +R\nweb +2\n$/ },
    { given: 'get deploy,ns -o name', expect: /^deployment\.apps\/web\nnamespace\/default\n/ },
    { given: 'get all', expect: /service\/kubernetes +ClusterIP[^]*deployment\.apps\/web/ },
    { given: 'get ns --sort-by=.metadata.name -o name', expect: /^namespace\/default\nnamespace\/karmada-system\n/ },
    { given: 'get ns --field-selector metadata.name=default -o name', expect: /^namespace\/default\n$/ },
    { given: 'get ns --chunk-size=2 -o name', expect: /^(namespace\/.*\n){5}$/ },
    { given: 'get --raw /api/v1/namespaces/default', expect: /^\{"kind":"Namespace","apiVersion":"v1"/ },
    {
      given: 'get --raw /readyz?verbose',
      expect: /\[\+\]poststarthook\/rbac\/bootstrap-roles ok\n[^]*readyz check passed/,
    },
    { given: 'get events', expect: /^$/ },
  ];
  for (const { given, expect } of rows) {
    const { code, out, err } = await kubectl(given);
    t.equal(code, 0, `${given}: ${err}`);
    t.match(out, expect, given);
  }
  const missing = await kubectl('get deploy wen');
  t.match(missing, { code: 1, err: 'Error from server (NotFound): deployments.apps "wen" not found\n' });
});

t.test('kubectl get -w shows changes', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  await kubectl('create cm first');
  const watching = kubectl.start('get cm -w --output-watch-events --no-headers');
  const received: string[] = [];
  const changes = ['create cm second', 'label cm second a=b', 'delete cm first'];
  for await (const line of watching.lines) {
    received.push(line.replace(/\s+/g, ' ').replace(/ \d+s$/, ''));
    const next = changes.shift();
    if (next === undefined) break;
    t.equal((await kubectl(next)).code, 0, next);
  }
  watching.stop();
  t.same(received, ['ADDED first 0', 'ADDED second 0', 'MODIFIED second 0', 'DELETED first 0']);
});

t.test('kubectl writes objects', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  const editor = path.join(server.directory, 'editor.sh');
  await fs.writeFile(editor, '#!/bin/sh\nsed -i "s/a: one/a: edited/" "$1"\n', { mode: 0o755 });
  const rows: readonly {
    given: string;
    input?: string;
    env?: Record<string, string>;
    expect: RegExp;
    check?: [string, RegExp];
  }[] = [
    { given: 'create cm a --from-literal=a=one', expect: /^configmap\/a created\n$/ },
    { given: 'create deploy typed --image=nginx', expect: /^deployment\.apps\/typed created\n$/ },
    { given: 'create ns team', expect: /^namespace\/team created\n$/ },
    { given: 'create sa robot -n team', expect: /^serviceaccount\/robot created\n$/ },
    {
      given: 'create secret generic s --from-literal=p=w',
      expect: /^secret\/s created\n$/,
      check: ["get secret s -o jsonpath='{.data.p}'", /^dw==$/],
    },
    { given: 'create role r --verb=get --resource=pods -n team', expect: /created/ },
    { given: 'create rolebinding rb --role=r --serviceaccount=team:robot -n team', expect: /created/ },
    { given: 'create token robot -n team', expect: /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/ },
    { given: 'apply -f -', input: configMap('b', { k: 'v', gone: 'x' }), expect: /^configmap\/b created\n$/ },
    { given: 'apply -f -', input: configMap('b', { k: 'v', gone: 'x' }), expect: /^configmap\/b unchanged\n$/ },
    {
      given: 'apply -f -',
      input: configMap('b', { k: 'w' }),
      expect: /^configmap\/b configured\n$/,
      check: ["get cm b -o jsonpath='{.data}'", /^\{"k":"w"\}$/],
    },
    {
      given: 'apply --server-side -f -',
      input: configMap('c', { k: 'v' }),
      expect: /^configmap\/c serverside-applied\n$/,
    },
    {
      given: 'apply --server-side -f -',
      input: configMap('b', { k: 'x' }),
      expect: /^configmap\/b serverside-applied\n$/,
    },
    {
      given: 'apply --dry-run=server -f -',
      input: configMap('d', { k: 'v' }),
      expect: /^configmap\/d created \(server dry run\)\n$/,
      check: ['get cm d --ignore-not-found', /^$/],
    },
    { given: 'diff -f -', input: configMap('c', { k: 'v' }), expect: /^$/ },
    {
      given: 'edit cm a',
      env: { EDITOR: editor },
      expect: /^configmap\/a edited\n$/,
      check: ["get cm a -o jsonpath='{.data.a}'", /^edited$/],
    },
    { given: 'patch cm a -p \'{"data":{"b":"2"}}\'', expect: /^configmap\/a patched\n$/ },
    { given: 'patch cm a --type=json -p \'[{"op":"remove","path":"/data/b"}]\'', expect: /^configmap\/a patched\n$/ },
    {
      given: 'patch cm a --type=merge -p \'{"data":{"c":"3"}}\'',
      expect: /^configmap\/a patched\n$/,
      check: ["get cm a -o jsonpath='{.data}'", /^\{"a":"edited","c":"3"\}$/],
    },
    { given: 'label cm a tier=front', expect: /^configmap\/a labeled\n$/ },
    { given: 'label cm a tier-', expect: /^configmap\/a unlabeled\n$/ },
    { given: 'annotate cm a note=x', expect: /^configmap\/a annotated\n$/ },
    {
      given: 'replace -f -',
      input: configMap('a', { only: 'this' }),
      expect: /^configmap\/a replaced\n$/,
      check: ["get cm a -o jsonpath='{.data}'", /^\{"only":"this"\}$/],
    },
    {
      given: 'scale deploy typed --replicas=3',
      expect: /^deployment\.apps\/typed scaled\n$/,
      check: ["get deploy typed -o jsonpath='{.spec.replicas}'", /^3$/],
    },
    { given: 'set image deploy/typed nginx=nginx:2', expect: /image updated/ },
    { given: 'rollout restart deploy/typed', expect: /restarted/ },
    { given: 'autoscale deploy typed --max=5', expect: /autoscaled/ },
    {
      given: 'expose deploy typed --port=80',
      expect: /exposed/,
      check: ["get svc typed -o jsonpath='{.spec.ports[0].port}'", /^80$/],
    },
    { given: "wait --for=jsonpath='{.data.only}'=this cm/a --timeout=5s", expect: /^configmap\/a condition met\n$/ },
    {
      given: 'delete cm a b',
      expect: /^configmap "a" deleted\nconfigmap "b" deleted\n$/,
      check: ['get cm -o name', /^configmap\/c\n$/],
    },
    { given: 'delete deploy --all', expect: /^deployment\.apps "typed" deleted\n$/ },
    { given: 'wait --for=delete cm/a --timeout=5s', expect: /^$/ },
    {
      given: 'delete cm c --dry-run=server',
      expect: /deleted \(server dry run\)/,
      check: ['get cm c -o name', /^configmap\/c\n$/],
    },
  ];
  for (const { given, input, env, expect, check } of rows) {
    const { code, out, err } = await kubectl(given, { ...(input && { input }), ...(env && { env }) });
    t.equal(code, 0, `${given}: ${err}`);
    t.match(out, expect, given);
    if (check) t.match((await kubectl(check[0])).out, check[1], `${given}, then ${check[0]}`);
  }
});

t.test('kubectl reads discovery and OpenAPI', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  await kubectl('create -f -', { input: deployment });
  const rows: readonly { given: string; expect: RegExp }[] = [
    { given: 'describe deploy web', expect: /^Name: +web\n[^]*Image: +nginx:1\.27\n[^]*Events: +<none>\n$/ },
    { given: 'describe ns default', expect: /^Name: +default\n[^]*Status: +Active\n/ },
    { given: 'api-versions', expect: /^admissionregistration\.k8s\.io\/v1\n[^]*^apps\/v1\n[^]*^v1$/m },
    { given: 'api-resources', expect: /^deployments +deploy +apps\/v1 +true +Deployment$/m },
    {
      given: 'api-resources --api-group=batch -o wide',
      expect: /cronjobs +cj +batch\/v1 +true +CronJob +create,delete,/,
    },
    { given: 'api-resources --namespaced=false -o name', expect: /^namespaces$/m },
    {
      given: 'explain deployment.spec.replicas',
      expect: /^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: replicas <integer>/,
    },
    {
      given: 'explain pod --recursive',
      expect: /^ {2}spec\t<PodSpec>\n[^]*^ {4}containers\t<\[\]Container> -required-\n/m,
    },
    { given: 'explain hpa --api-version=autoscaling/v1', expect: /^VERSION: +v1$/m },
    {
      given: 'explain pod.spec.containers',
      expect:
        /DESCRIPTION:\n {4}List of containers belonging to the pod\.[^]* {4}A single application container that you want to run[^]*\n {2}args\t<\[\]string>\n {4}Arguments to the entrypoint\./,
    },
    {
      given: 'explain deploy.spec.replicas --output=plaintext-openapiv2',
      expect: /Number of desired pods\. This is a pointer to distinguish/,
    },
    { given: 'version', expect: /^Server Version: v1\.36\.2$/m },
    { given: 'cluster-info', expect: new RegExp(`is running at .*${server.url}`) },
    {
      given: 'get --raw /openapi/v3',
      expect: /"apis\/apps\/v1":\{"serverRelativeURL":"\/openapi\/v3\/apis\/apps\/v1\?hash=/,
    },
    { given: 'get --raw /metrics', expect: /^apiserver_request_total\{verb="LIST"/m },
  ];
  for (const { given, expect } of rows) {
    const { code, out, err } = await kubectl(given);
    t.equal(code, 0, `${given}: ${err}`);
    t.match(out, expect, given);
  }
});

t.test('kubectl auth reads and checks permissions', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  await kubectl('create role reader --verb=get,list --resource=configmaps');
  await kubectl('create rolebinding reader --role=reader --user=alice');
  const rows: readonly { given: string; code?: number; out?: RegExp; err?: RegExp }[] = [
    { given: 'auth whoami', out: /^Username +system:admin$/m },
    { given: 'auth whoami --as alice', out: /^Username +alice$/m },
    { given: 'auth can-i delete nodes', out: /^yes\n$/ },
    { given: 'auth can-i get cm --as alice', out: /^yes\n$/ },
    { given: 'auth can-i delete cm --as alice', code: 1, out: /^no\n$/ },
    { given: 'auth can-i --list --as alice', out: /^configmaps +\[\] +\[\] +\[get list\]$/m },
    { given: 'get cm --as alice', err: /^No resources found in default namespace\.\n$/ },
    {
      given: 'get secrets --as alice',
      code: 1,
      err: /User "alice" cannot list resource "secrets" in API group "" in the namespace "default"/,
    },
    {
      given: 'get ns --as alice',
      code: 1,
      err: /cannot list resource "namespaces" in API group "" at the cluster scope/,
    },
  ];
  for (const { given, code = 0, out = /^/, err = /^/ } of rows) {
    const outcome = await kubectl(given);
    t.equal(outcome.code, code, `${given}: ${outcome.err}`);
    t.match(outcome.out, out, given);
    t.match(outcome.err, err, given);
  }
});

t.test('kubectl works with custom resources', needsKubectl, async t => {
  const server = await runningServer(t);
  const kubectl = kubectlFor(t, server);
  const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.fleet.example.com}
spec:
  group: fleet.example.com
  scope: Namespaced
  names: {plural: ships, kind: Ship, shortNames: [sh]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {crew: {type: integer, minimum: 1}}}
    additionalPrinterColumns: [{name: Crew, type: integer, jsonPath: .spec.crew}]
`;
  const ship = (crew: number): string =>
    JSON.stringify({ apiVersion: 'fleet.example.com/v1', kind: 'Ship', metadata: { name: 'flag' }, spec: { crew } });
  t.match(await kubectl('create -f -', { input: definition }), { code: 0 });
  t.match(await kubectl('wait --for=condition=Established crd/ships.fleet.example.com --timeout=10s'), { code: 0 });
  t.match(await kubectl('apply -f -', { input: ship(12) }), { code: 0, out: 'ship.fleet.example.com/flag created\n' });
  t.match(await kubectl('get sh'), { code: 0, out: /^NAME +CREW\nflag +12\n$/ });
  t.match(await kubectl('explain ship.spec.crew'), { code: 0, out: /FIELD: crew <integer>/ });
  t.match(await kubectl('apply -f -', { input: ship(0) }), {
    code: 1,
    err: /spec\.crew: Invalid value: 0: spec\.crew in body should be greater than or equal to 1/,
  });
  t.match(await kubectl('delete crd ships.fleet.example.com --timeout=10s'), { code: 0 });
  t.match(await kubectl('get sh'), { code: 1, err: /the server could not find the requested resource/ });
});
