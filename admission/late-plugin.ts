import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';
import type { Maybe } from '../lib/maybe.js';

/**
 * The place of a plugin that is created later. Plugins read the API that they guard: the pipeline of the API needs a plugin when it is created, and
 * the plugins need the pipeline. Until the plugin is set, every request is admitted.
 */
export class LatePlugin implements AdmissionPlugin {
  readonly name = 'admission';
  #plugin: AdmissionPlugin | undefined;

  set(plugin: AdmissionPlugin): void {
    this.#plugin = plugin;
  }

  mutate(request: AdmissionRequest): Maybe<void> {
    return this.#plugin?.mutate?.(request);
  }

  validate(request: AdmissionRequest): Maybe<void> {
    return this.#plugin?.validate?.(request);
  }
}
