/** Custom resources with kubectl. */
import t from 'tap';
import { runningServer } from '../../apiserver/running.js';
import { anything, customKind, object, text, version, whole } from '../../custom-kinds.js';
import { kubectlFor, needsKubectl } from '../kubectl.js';

const name = 'crontabs.stable.example.com';
const schema = object(
  {
    spec: object(
      {
        cronSpec: { ...text, description: 'When it runs.', pattern: '^[0-9*/ ]+$' },
        image: { ...text, default: 'busybox' },
        replicas: { ...whole, minimum: 1, maximum: 10, default: 1 },
        color: { ...text, enum: ['red', 'blue'] },
        free: anything,
      },
      {
        required: ['cronSpec'],
        'x-kubernetes-validations': [
          { rule: "self.replicas < 5 || self.image != 'busybox'", message: 'few are enough', fieldPath: '.replicas' },
          { rule: 'self.cronSpec == oldSelf.cronSpec', message: 'the time stands', reason: 'FieldValueForbidden' },
        ],
      },
    ),
    status: object({ replicas: whole, selector: text }),
  },
  { description: 'A table of what happens when.' },
);
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const both = { subresources: { status: {}, scale }, selectableFields: [{ jsonPath: '.spec.color' }] };
const additionalPrinterColumns = [
  { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
  { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];
const versions = [
  version('v1', schema, { ...both, additionalPrinterColumns }),
  version('v1beta1', schema, { ...both, storage: false, deprecated: true }),
];
const names = { shortNames: ['ct'], categories: ['all', 'tables'] };
const definition = customKind('CronTab', versions, { group: 'stable.example.com', names });

const crontab = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name }, spec });

interface Step {
  readonly given: string;
  readonly input?: string;
  readonly out?: RegExp;
  /** The expected standard error. */
  readonly err?: RegExp;
}

const every = '* * * * */5';
const steps: readonly Step[] = [
  { given: 'create -f -', input: JSON.stringify(definition), out: /crontabs\.stable\.example\.com created/ },
  { given: `wait --for condition=established crd/${name}`, out: /condition met/ },
  {
    given: 'api-resources --api-group=stable.example.com --no-headers',
    out: /^crontabs +ct +stable\.example\.com\/v1 +true +CronTab\n$/,
  },
  { given: 'apply -f -', input: crontab('a', { cronSpec: every, color: 'red', free: { any: [1] } }), out: /a created/ },
  {
    given: 'apply -f -',
    input: crontab('b', { cronSpec: every, colour: 'red' }),
    err: /strict decoding error: unknown field "spec\.colour"/,
  },
  {
    given: 'apply --validate=warn -f -',
    input: crontab('b', { cronSpec: every, colour: 'red' }),
    out: /b created/,
    err: /^Warning: unknown field "spec\.colour"\n$/,
  },
  { given: "get ct b -o jsonpath='{.spec}'", out: /^\{"cronSpec":"[^"]+","image":"busybox","replicas":1\}$/ },
  {
    given: 'apply -f -',
    input: crontab('c', { cronSpec: 'x', color: 'green', replicas: 11 }),
    err: /^The CronTab "c" is invalid: \n\* spec\.color: Unsupported value: "green": supported values: "red", "blue"\n\* spec\.cronSpec: Invalid value: "x": spec\.cronSpec in body should match [^]*\* <nil>: Invalid value: null: some validation rules were not checked/,
  },
  {
    given: 'apply -f -',
    input: crontab('c', { cronSpec: '*', replicas: 7 }),
    err: /^The CronTab "c" is invalid: spec\.replicas: Invalid value: few are enough\n$/,
  },
  {
    given: 'apply -f -',
    input: crontab('b', { cronSpec: '*' }),
    err: /spec: Forbidden: the time stands/,
  },
  { given: 'get ct', out: /^NAME +SPEC +REPLICAS +AGE\na +\* \* \* \* \*\/5 +1 +\d+s\nb/ },
  { given: 'get ct a -o wide', out: /^NAME +SPEC +REPLICAS +IMAGE +AGE\na +\* \* \* \* \*\/5 +1 +busybox +\d+s\n$/ },
  { given: 'get tables -o name', out: /^crontab\.stable\.example\.com\/a\ncrontab\.stable\.example\.com\/b\n$/ },
  { given: 'get all', out: /crontab\.stable\.example\.com\/a +\* \* \* \* \*\/5/ },
  { given: 'get ct --field-selector spec.color=red -o name', out: /^crontab\.stable\.example\.com\/a\n$/ },
  { given: 'get ct --field-selector spec.image=red', err: /field label not supported: spec\.image/ },
  {
    given: 'get crontabs.v1beta1.stable.example.com a',
    out: /^NAME +AGE\na +\d+s\n$/,
    err: /^Warning: stable\.example\.com\/v1beta1 CronTab is deprecated; use stable\.example\.com\/v1 CronTab\n$/,
  },
  { given: 'explain ct', out: /KIND: +CronTab\nVERSION: +v1\n\nDESCRIPTION:\n +A table of what happens when\./ },
  {
    given: 'explain ct.spec',
    out: /color\t<string>\n {2}enum: red, blue[^]*cronSpec\t<string> -required-\n +When it runs\./,
  },
  { given: 'scale ct a --replicas=3', out: /crontab\.stable\.example\.com\/a scaled/ },
  { given: 'get ct a --subresource=scale', out: /^NAME +DESIRED +AVAILABLE +AGE\na +3 +0 +\d+s\n$/ },
  {
    given: `patch ct a --subresource=status --type=merge -p '{"status":{"replicas":3}}'`,
    out: /a patched/,
  },
  { given: "get ct a -o jsonpath='{.status.replicas} {.metadata.generation}'", out: /^3 2$/ },
  {
    given: `patch ct a --type=strategic -p '{"spec":{}}'`,
    err: /strategic-merge-patch\+json is not supported by stable\.example\.com\/v1, Kind=CronTab/,
  },
  { given: `delete crd ${name}`, out: /"crontabs\.stable\.example\.com" deleted/ },
  {
    given: 'get crontabs.v1.stable.example.com',
    err: /could not find the requested resource|doesn't have a resource type/,
  },
];

t.test('kubectl works with a definition and its objects', needsKubectl, async t => {
  const kubectl = kubectlFor(t, await runningServer(t));
  for (const { given, input, out, err } of steps) {
    const step = `${given} ${input ?? ''}`.slice(0, 120);
    const outcome = await kubectl(given, input === undefined ? {} : { input });
    t.equal(outcome.code === 0, out !== undefined, `${step}: ${outcome.err}`);
    if (out) t.match(outcome.out, out, step);
    t.match(outcome.err, err ?? /^$/, step);
  }
});
