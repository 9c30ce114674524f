import { request } from 'node:http';
import { connect } from 'node:http2';

// The least that a program for Node must do until its first PUT: all objects, the Secret of the
// first one, and its settings to the API. Node's own HTTP and no module besides, nor types to strip.
const { server, ca, token, apiUrl, authorization, namespace } = JSON.parse(
  process.env.PEER_OPTIONS ?? '{}',
);
const session = connect(server, { ca });

function get(path) {
  return new Promise((resolve, reject) => {
    const call = session.request({ ':path': path, authorization: `Bearer ${token}` });
    const chunks = [];
    call.on('data', (chunk) => chunks.push(chunk));
    call.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    call.on('error', reject);
    call.end();
  });
}

const objects = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`;
const { items } = await get(objects);
const { organizationId, serviceId, pipeId, settings, credentialsSecretRef } = items[0].spec;
await get(`/api/v1/namespaces/${namespace}/secrets/${credentialsSecretRef.name}`);
const pipe = `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}/settings`;
const headers = { authorization, 'content-type': 'application/json' };
request(`${apiUrl}${pipe}`, { method: 'PUT', headers }).end(JSON.stringify(settings));
// It stays until SIGTERM, as the others do.
setInterval(() => undefined, 2 ** 30);
