import type { Source } from '../core/source.ts';

/**
 * What a Segment browser library asks for at its start: which integrations to load (only the one that sends here) and where that
 * one sends. The library's own metrics stay off, because they would be sent elsewhere.
 *
 * @param protocol undefined leaves libraries to their default, https.
 */
export function segmentSettings(source: Source, protocol: string | undefined, host: string): object {
  return {
    integrations: {
      'Segment.io': {
        apiKey: source.writeKey,
        apiHost: `${host}/v1`,
        ...(protocol !== undefined && { protocol }),
        unbundledIntegrations: [],
        addBundledMetadata: true,
        maybeBundledConfigIds: {},
        versionSettings: { version: '4.4.7', componentTypes: ['browser'] },
      },
    },
    plan: {
      track: { __default: { enabled: true, integrations: {} } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    analyticsNextEnabled: true,
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  };
}

/**
 * What a RudderStack browser library asks for at its start: no destinations of its own to load, and no reports to send elsewhere.
 * The page's author gave the library its data plane, so the answer names none.
 */
export function rudderSourceConfig(source: Source): object {
  return {
    source: {
      id: source.id,
      name: source.name,
      writeKey: source.writeKey,
      enabled: source.enabled,
      config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
      connections: [],
      destinations: [],
      dataplanes: {},
      createdAt: source.createdAt,
      updatedAt: source.createdAt,
    },
    updatedAt: source.createdAt,
  };
}
