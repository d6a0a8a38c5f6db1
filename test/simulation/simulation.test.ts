import { expect, test } from 'vitest';
import { planOf } from './plan.ts';
import { simulate } from './simulation.ts';

test('x', async () => {
  const from = Number(process.env['FROM'] ?? 1);
  const seeds = Number(process.env['SEEDS'] ?? 300);
  const one = process.env['SEED'];
  let time = 0;
  let failed = 0;
  const kinds = new Map<string, number[]>();
  const began = performance.now();
  for (let seed = one ? Number(one) : from; seed < (one ? Number(one) + 1 : from + seeds); seed++) {
    const t0 = performance.now();
    const r = await simulate(planOf(seed), one !== undefined);
    const t = performance.now() - t0;
    time += r.time;
    if (t > 1500) console.log('slow', seed, t, r.digest);
    if (one) console.log(r.lines.join('\n'));
    if (r.broken.length > 0) {
      failed++;
      for (const b of r.broken) {
        const k = b.replace(/https:\S+/g, 'URL').replace(/m\d+/g, 'M').replace(/dst_\d|src_\d/g, 'X').replace(/\d+/g, 'N');
        const l = kinds.get(k) ?? [];
        if (l.at(-1) !== seed) l.push(seed);
        kinds.set(k, l);
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(failed, 'failed; hours', time / 3.6e6, 'wall', performance.now() - began);
  for (const [k, l] of kinds) console.log(l.length, k, l.slice(0, 6).join(' '));
}, 600_000);
