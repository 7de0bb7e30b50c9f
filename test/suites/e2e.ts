import '../e2e/custom-resources.test.js';
import '../e2e/apply.test.js';
import '../e2e/flux.test.js';
import '../e2e/helm.test.js';
import '../e2e/kubectl.test.js';
import '../e2e/metadata.test.js';
import '../e2e/reflector.test.js';
import '../e2e/webhooks.test.js';
