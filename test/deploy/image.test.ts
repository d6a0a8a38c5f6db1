import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/redis.ts';
import { ROOT } from '../../checks/tool.ts';
import { Command } from '../cli/command.ts';
import { ask } from '../system/kit/http.ts';
import { at, read, readDockerfile, readKubernetesObjects } from './manifests.ts';

const dockerfile = readDockerfile();

test('what the image holds starts, is found well by its health check, has what probes and scrapes ask for, and stops', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  fill(folder);
  const port = await freePort();
  const env = { MILLRACE_HOST: '127.0.0.1', MILLRACE_PORT: `${port}`, MILLRACE_DATA_DIR: join(folder, 'data') };
  const [program = '', ...args] = [...words('ENTRYPOINT'), ...words('CMD')];

  expect(await check(env)).not.toBe(0);
  const service = new Command(program, args, { cwd: folder, env: { ...env, NODE_ENV: 'production' } });
  onTestFinished(async () => {
    await service.signal('SIGKILL');
  });
  await service.said(/listening on (\S+)/);
  expect(await check(env)).toBe(0);
  for (const path of pathsAskedFor()) {
    expect(await ask(`http://127.0.0.1:${port}${path}`), path).toMatchObject({ status: 200 });
  }
  const metrics = await ask(`http://127.0.0.1:${port}/metrics`);
  const measured = new Set(read('kubernetes/lag/adapter-values.yaml').match(/millrace_\w+(?=\{)/g));
  expect(measured.size).toBeGreaterThan(0);
  for (const name of measured) expect(metrics.text).toContain(`# TYPE ${name} `);
  expect(await service.signal('SIGTERM')).toMatchObject({ code: 0 });
});

/** Puts there what the Dockerfile puts into the image: no package is beside it. */
function fill(folder: string): void {
  for (const name of ['package.json', 'bin', 'dist']) {
    const path = join('packages/server', name);
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

/** Runs the image's health check; answers its exit code. */
async function check(env: Readonly<Record<string, string>>): Promise<number | null> {
  const command = dockerfile.find(({ name }) => name === 'HEALTHCHECK')?.text ?? '';
  const [program = '', ...args] = JSON.parse(command.slice(command.indexOf('['))) as string[];
  return (await new Command(program, args, { env }).ended).code;
}

function words(name: string): string[] {
  return JSON.parse(dockerfile.find((instruction) => instruction.name === name)?.text ?? '[]') as string[];
}

/** Paths that probes, the balancer and Prometheus are told. */
function pathsAskedFor(): ReadonlySet<string> {
  const pods = readKubernetesObjects().map(({ object }) => at(object, 'spec', 'template'));
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'];
  const paths = pods.flatMap((pod) => [
    at(pod, 'metadata', 'annotations', 'prometheus.io/path'),
    ...probes.map((probe) => at(pod, 'spec', 'containers', 0, probe, 'httpGet', 'path')),
  ]);
  const [, balancer] = /health_uri (\S+)/.exec(read('Caddyfile')) ?? [];
  const found = new Set([...paths, balancer].filter((path) => typeof path === 'string'));
  expect(found).toEqual(new Set(['/metrics', '/health/live', '/health/ready']));
  return found;
}
