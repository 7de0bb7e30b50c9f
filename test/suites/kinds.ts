import '../registry/kinds/native.test.js';
import '../registry/kinds/corpus.test.js';
import '../registry/kinds/random.test.js';
import '../registry/kinds/core/service-addresses.test.js';
import '../registry/kinds/autoscaling/hpa-convert.test.js';
import '../registry/kinds/events/convert-event.test.js';
import '../registry/kinds/core/pod-actions.test.js';
import '../registry/kinds/resource/devices.test.js';
