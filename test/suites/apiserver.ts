import '../apiserver/http/api-server.test.js';
import '../apiserver/http/request-info.test.js';
import '../apiserver/http/query.test.js';
import '../apiserver/http/warnings.test.js';
import '../apiserver/http/duration.test.js';
import '../apiserver/negotiate/accept.test.js';
import '../apiserver/negotiate/yaml.test.js';
import '../apiserver/negotiate/json-slice.test.js';
