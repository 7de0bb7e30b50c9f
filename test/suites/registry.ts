import '../registry/dynamic/life.test.js';
import '../registry/pipeline/objects.test.js';
