import '../registry/catalogue.test.js';
import '../registry/dynamic/life.test.js';
import '../registry/pipeline/deletion.test.js';
import '../registry/pipeline/list.test.js';
import '../registry/pipeline/objects.test.js';
import '../registry/pipeline/stored.test.js';
import '../registry/pipeline/watch.test.js';
