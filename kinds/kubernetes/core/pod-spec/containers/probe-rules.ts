/** Validates probes and hooks of containers. */
// as pkg/apis/core/validation validateProbe, validateLifecycle
import { checkHttpHeaderName } from '../../../../../apimachinery/meta/names.js';
import type { Field } from '../../../../shared/rules/field.js';
import { nonNegative } from '../../../../shared/rules/numbers.js';
import { portNumberOrName } from '../../../../shared/rules/port-rules.js';
import type {
  ExecAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
} from '../../../../../api/kubernetes/core.js';

/** The properties of the pod that the rules for handlers need. */
export interface ProbePod {
  readonly graceSeconds: number | undefined;
  readonly os: string | undefined;
}

const schemes = ['HTTP', 'HTTPS'];

function exec(action: Field<ExecAction>): void {
  if (action.at('command').isEmpty) action.at('command').required();
}

function httpGet(action: Field<HTTPGetAction>): void {
  if (action.at('path').isEmpty) action.at('path').required();
  portNumberOrName(action.at('port'));
  const scheme = action.at('scheme');
  if (!schemes.includes(scheme.value ?? '')) scheme.notSupported(schemes);
  for (const header of action.value?.httpHeaders ?? [])
    for (const text of checkHttpHeaderName(header.name ?? ''))
      action.at('httpHeaders').invalid(text, header.name ?? '');
}

function sleep(action: Field<SleepAction>, { graceSeconds }: ProbePod): void {
  const seconds = action.value?.seconds ?? 0;
  if (graceSeconds !== undefined && (seconds < 0 || seconds > graceSeconds))
    action.invalid(`must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`, seconds);
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

function handler(place: Field<Handler>, pod: ProbePod): void {
  const rules: readonly (readonly [keyof Handler, () => void])[] = [
    ['exec', () => exec(place.at('exec'))],
    ['httpGet', () => httpGet(place.at('httpGet'))],
    ['tcpSocket', () => portNumberOrName(place.at('tcpSocket').at('port'))],
    ['grpc', () => portNumberOrName(place.at('grpc').at('port'))],
    ['sleep', () => sleep(place.at('sleep'), pod)],
  ];
  const [first, ...more] = rules.filter(([name]) => place.at(name).isSet);
  first?.[1]();
  for (const [name] of more) place.at(name).forbidden('may not specify more than 1 handler type');
  if (!first) place.required('must specify a handler type');
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function probe(field: Field<Probe>, pod: ProbePod): void {
  handler(field, pod);
  for (const name of counts) nonNegative(field.at(name));
  const grace = field.at('terminationGracePeriodSeconds');
  if (grace.isSet && (grace.value ?? 0) <= 0) grace.invalid('must be greater than 0');
}

function onceEnough(field: Field<Probe>): void {
  const threshold = field.at('successThreshold');
  if (threshold.value !== 1) threshold.invalid('must be 1', threshold.value ?? 0);
}

/** Checks a probe whose failure restarts the container; one success has to be enough. as pkg/apis/core/validation validateLivenessProbe */
export function livenessProbe(field: Field<Probe>, pod: ProbePod): void {
  if (!field.isSet) return;
  probe(field, pod);
  onceEnough(field);
}

/** Checks a probe whose failure restarts nothing, so that it has no grace period. as pkg/apis/core/validation validateReadinessProbe */
export function readinessProbe(field: Field<Probe>, pod: ProbePod): void {
  if (!field.isSet) return;
  probe(field, pod);
  const grace = field.at('terminationGracePeriodSeconds');
  if (grace.isSet) grace.invalid('must not be set for readinessProbes');
}

export const startupProbe = livenessProbe;

const plainSignals = [
  ...['ABRT', 'ALRM', 'BUS', 'CHLD', 'CLD', 'CONT', 'FPE', 'HUP', 'ILL', 'INT', 'IO', 'IOT', 'KILL', 'PIPE', 'POLL'],
  ...['PROF', 'PWR', 'QUIT', 'SEGV', 'STKFLT', 'STOP', 'SYS', 'TERM', 'TRAP', 'TSTP', 'TTIN', 'TTOU', 'URG'],
  ...['USR1', 'USR2', 'VTALRM', 'WINCH', 'XCPU', 'XFSZ', 'RTMIN', 'RTMAX'],
];
const realTime = (from: string, sign: string, max: number): string[] =>
  Array.from({ length: max }, (_, i) => `${from}${sign}${i + 1}`);
const linuxSignals = [...plainSignals, ...realTime('RTMIN', '+', 15), ...realTime('RTMAX', '-', 14)]
  .map(name => `SIG${name}`)
  .sort();
const windowsSignals = ['SIGKILL', 'SIGTERM'];

/** Checks the hooks, and the signal that stops the container, which depends on the operating system. as pkg/apis/core/validation validateLifecycle */
export function lifecycle(field: Field<Lifecycle>, pod: ProbePod): void {
  if (!field.isSet) return;
  for (const hook of ['postStart', 'preStop'] as const) if (field.at(hook).isSet) handler(field.at(hook), pod);
  const signal = field.at('stopSignal');
  if (!signal.isSet) return;
  if (pod.os === undefined) signal.forbidden('may not be set for containers with empty `spec.os.name`');
  const supported = pod.os === 'windows' ? windowsSignals : pod.os === 'linux' ? linuxSignals : undefined;
  if (supported && !supported.includes(signal.value ?? '')) signal.notSupported(supported);
}
