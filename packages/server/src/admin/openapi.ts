import type { SwaggerOptions } from '@fastify/swagger';
import { collectionPaths } from './openapi-collection.ts';
import { SESSION_COOKIE } from './session-cookie.ts';
import { VERSION } from './version.ts';

/** Head of the OpenAPI document. Its paths are generated from the routes, except those of the collection API. */
export const openapi: SwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: VERSION,
      description:
        'Takes analytics calls and delivers each, durably and signed, to webhooks. ' +
        'Errors are problem details (RFC 9457) with a stable `code`; lists are paged by cursor; times are ISO 8601 UTC.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Search', description: 'Finding anything by a text' },
      { name: 'Sources', description: 'Where calls come from' },
      { name: 'Destinations', description: 'Where messages go' },
      { name: 'Deliveries', description: 'What became of messages' },
      { name: 'Replays', description: 'Sending messages again' },
      { name: 'Alerts', description: 'What went wrong, and who is told' },
      { name: 'Audiences', description: 'Who belongs together, told to destinations as it changes' },
      { name: 'Computed traits', description: 'Values computed from what persons did, told as they change' },
      { name: 'Profiles', description: 'What is known of the persons that calls speak of' },
      { name: 'Regulations', description: 'Deleting what is stored about people, and refusing their calls' },
      { name: 'Statistics', description: 'How much happened, over time and right now' },
      { name: 'Sign-in', description: 'The session of the web interface' },
      { name: 'People', description: 'Who may sign in' },
      { name: 'Tokens', description: 'For programs' },
      { name: 'Audit', description: 'Who changed what' },
      { name: 'Operation', description: 'Health, metrics and this document' },
      { name: 'Collection', description: 'Taking calls, as client libraries send them' },
    ],
    security: [{ token: [] }, { session: [] }],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token, MILLRACE_ADMIN_TOKEN, or an API token with a role of its own',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session of a person who signed in, as `Set-Cookie` names it: with the port, where the address has one. ' +
            "What isn't a GET needs X-CSRF-Token as well",
        },
        writeKey: {
          type: 'http',
          scheme: 'basic',
          description: "The source's write key as user name, with an empty password",
        },
      },
    },
    paths: collectionPaths,
  },
  convertConstToEnum: false,
  refResolver: {
    buildLocalReference: (json, _baseUri, _fragment, place) =>
      typeof json['$id'] === 'string' ? json['$id'] : `Schema${place}`,
  },
};
