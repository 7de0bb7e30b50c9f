import '../registry/pipeline/objects.test.js';
