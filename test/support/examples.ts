/** What the objects of deploy/examples speak of. */
export const ORGANIZATION = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
const SERVICE = '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21';
const PIPE_ID = '9e44d1a3-0c7b-4f35-b8e2-71a6c9d05f32';
/** As the simulator names it. */
export const PIPE = `${ORGANIZATION}/${SERVICE}/${PIPE_ID}`;

/** The record of activity.yaml, and where the API has it. */
export const RECORD = {
  id: '3aa1f6d8-7c25-4b90-9e1d-5f83c0b7a264',
  createdAt: '2026-11-20T09:14:03.512Z',
  type: 'create_organization',
  actorType: 'user',
  actorId: 'user-4711',
  actorDetails: 'ada@example.com',
  actorIpAddress: '192.0.2.17',
  organizationId: ORGANIZATION,
  serviceId: '',
  userAgent: 'console',
};
export const RECORD_PATH = `/v1/organizations/${ORGANIZATION}/activities/${RECORD.id}`;
