import '../openapi/facts/gen.test.js';
import '../openapi/facts/load.test.js';
import '../openapi/facts/protobuf.test.js';
import '../openapi/facts/resources.test.js';
import '../openapi/meta/go-text.test.js';
import '../openapi/meta/status.test.js';
import '../openapi/patch/json-patch.test.js';
import '../openapi/patch/merge-patch.test.js';
