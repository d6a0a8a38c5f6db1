import { expect, onTestFinished, test } from 'vitest';
import { HandClock } from '../../../test/hand-clock.ts';
import { type Refusal, Rejections } from './observe/rejections.ts';
import { refusalNews } from './refusal-news.ts';

interface World {
  readonly clock: HandClock;
  readonly rejections: Rejections;
  /** Parts of what was told. */
  readonly told: string[];
}

async function world({ nodes = 2 } = {}): Promise<World> {
  const clock = new HandClock();
  const rejections = new Rejections();
  const told: string[] = [];
  const tellRefusal = ({ part }: Refusal): void => {
    told.push(part);
  };
  const news = refusalNews({ clock, refused: rejections, peers: { count: () => nodes, tellRefusal } });
  await news.start();
  onTestFinished(() => news.stop());
  return { clock, rejections, told };
}

/** Lets a run that is due end, so that the next one is planned. */
async function later({ clock }: World): Promise<void> {
  clock.advance(250);
  await Promise.resolve();
  await Promise.resolve();
}

test('tells once what this node refused, of a flood the newest', async () => {
  const all = await world();
  for (const part of ['1', '2', '3', '4', '5', '6']) all.rejections.add('a', 1, 'invalid_json', 'no', part);
  await later(all);
  expect(all.told).toEqual(['2', '3', '4', '5', '6']);
  await later(all);
  all.rejections.add('a', 1, 'invalid_json', 'no', '7');
  await later(all);
  expect(all.told.slice(5)).toEqual(['7']);
});

test('does not tell what it was told', async () => {
  const all = await world();
  const [here, there] = [all.rejections, new Rejections()];
  there.add('a', 1, 'invalid_json', 'no', '{');
  for (const { number, isOwn, ...refusal } of there.after(0)) here.told(refusal);
  await later(all);
  expect(all.told).toEqual([]);
});

test('tells nothing where there is no other node', async () => {
  const all = await world({ nodes: 1 });
  all.rejections.add('a', 1, 'invalid_json', 'no', '{');
  await later(all);
  expect(all.told).toEqual([]);
});
