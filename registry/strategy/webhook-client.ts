/** Validates the client config of admission and conversion webhooks. */
import type { Fault } from '../../apimachinery/interface.js';
import { child, invalidValue, required } from '../../apimachinery/errors/faults.js';
import { parseGoUrl } from '../../lib/go/go-url.js';
import { checkDns1123Subdomain, checkPortNum } from '../../apimachinery/meta/names.js';

export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const form = '; desired format: https://host[/path]';

/**
 * Returns the faults of the URL of a webhook, which has to be https without user, query and fragment.
 * as apiserver/pkg/util/webhook ValidateWebhookURL
 */
export function webhookUrlFaults(path: string, text: string): Fault[] {
  const url = parseGoUrl(text);
  if ('error' in url) return [required(path, `url must be a valid URL: ${url.error}${form}`)];
  const { scheme, host, user, fragment, rawQuery } = url;
  const faults: Fault[] = [];
  if (scheme !== 'https') faults.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') faults.push(invalidValue(path, host, `host must be specified${form}`));
  if (user !== undefined) faults.push(invalidValue(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') faults.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
  if (rawQuery !== '') faults.push(invalidValue(path, rawQuery, 'query parameters are not permitted in the URL'));
  return faults;
}

/** Returns the faults of the reference to the Service of a webhook. as apiserver/pkg/util/webhook ValidateWebhookService */
export function webhookServiceFaults(
  path: string,
  { namespace = '', name = '', path: at, port = 0 }: WebhookService,
): Fault[] {
  const faults: Fault[] = [];
  if (name === '') faults.push(required(child(path, 'name')));
  if (namespace === '') faults.push(required(child(path, 'namespace')));
  const wrong = checkPortNum(port);
  if (wrong.length > 0) faults.push(invalidValue(child(path, 'port'), port, `port is not valid: ${wrong.join(', ')}`));
  if (at !== undefined) faults.push(...pathFaults(child(path, 'path'), at));
  return faults;
}

function pathFaults(path: string, text: string): Fault[] {
  if (text === '/' || text === '') return [];
  if (text === '//') return [invalidValue(path, text, 'segment[0] may not be empty')];
  const faults: Fault[] = [];
  if (!text.startsWith('/')) faults.push(invalidValue(path, text, "must start with a '/'"));
  text
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((step, i) => {
      if (step === '') faults.push(invalidValue(path, text, `segment[${i}] may not be empty`));
      else
        for (const wrong of checkDns1123Subdomain(step))
          faults.push(invalidValue(path, text, `segment[${i}]: ${wrong}`));
    });
  return faults;
}
