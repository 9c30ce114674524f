import type { ApiRequest } from '../../src/api/call.ts';

/** It does not matter which. */
export const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'organizations', 'o-1'],
  body: '{"a":1}',
  begin: () => true,
  credential: {
    id: 'c',
    authorization: 'Basic aWQ6c2VjcmV0',
    mask: (text) => text.replaceAll('secret', '***'),
  },
};
