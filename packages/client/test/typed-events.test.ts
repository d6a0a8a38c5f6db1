import { expect, expectTypeOf, test } from 'vitest';
import { type Fetch, Millrace } from '../src/client.ts';

interface Events {
  'Order Completed': { readonly total: number; readonly coupon?: string };
  'Menu Opened': { readonly depth?: number };
}

/** Compiled, never run: the compiler refuses a line below that it should refuse, and a directive that refuses nothing. */
function compiled(typed: Millrace<Events>, free: Millrace): void {
  typed.track({ userId: 'u1', event: 'Order Completed', properties: { total: 5 } });
  typed.track({ anonymousId: 'a1', event: 'Order Completed', properties: { total: 5, coupon: 'x' } });
  typed.track({ userId: 'u1', event: 'Menu Opened' });
  // @ts-expect-error: no such event
  typed.track({ userId: 'u1', event: 'Order Complete', properties: { total: 5 } });
  // @ts-expect-error: the properties lack total
  typed.track({ userId: 'u1', event: 'Order Completed', properties: {} });
  // @ts-expect-error: the properties are required
  typed.track({ userId: 'u1', event: 'Order Completed' });
  // @ts-expect-error: total is a number
  typed.track({ userId: 'u1', event: 'Order Completed', properties: { total: '5' } });
  // @ts-expect-error: no such property
  typed.track({ userId: 'u1', event: 'Menu Opened', properties: { width: 5 } });
  // @ts-expect-error: no such property, though all required ones are there
  typed.track({ userId: 'u1', event: 'Order Completed', properties: { total: 5, width: 5 } });
  // @ts-expect-error: the properties of another event
  typed.track({ userId: 'u1', event: 'Order Completed', properties: { depth: 5 } });
  // @ts-expect-error: any text is not one of the names
  typed.track({ userId: 'u1', event: 'Menu Opened' as string });
  // @ts-expect-error: an event has a name
  typed.track({ userId: 'u1' });
  // @ts-expect-error: the field is called properties
  typed.track({ userId: 'u1', event: 'Menu Opened', property: { depth: 5 } });
  // @ts-expect-error: nobody did it
  typed.track({ event: 'Menu Opened' });

  free.track({ userId: 'u1', event: 'Whatever', properties: { any: ['thing'] } });
  free.track({ userId: 'u1', event: 'Whatever' as string });
  // @ts-expect-error: properties are an object
  free.track({ userId: 'u1', event: 'Whatever', properties: 5 });
  // @ts-expect-error: an event's properties are an object
  new Millrace<{ 'Order Completed': number }>('key');
  free.page({ userId: 'u1', traits: { url: 'https://a.b', own: 5 } });
  // @ts-expect-error: url is known, and a string
  free.page({ userId: 'u1', traits: { url: 5 } });
  // @ts-expect-error: a group has an id
  free.group({ userId: 'u1' });
  // @ts-expect-error: an alias has two ids
  free.alias({ userId: 'u1' });
  // @ts-expect-error: the field is called timestamp
  free.identify({ userId: 'u1', timeStamp: new Date() });
}

test('the types allow what the client takes, and nothing else', async () => {
  expectTypeOf(compiled).toBeFunction();
  expectTypeOf(fetch).toExtend<Fetch>();
  const flushed = new Millrace('key').flush();
  expectTypeOf(flushed).resolves.toEqualTypeOf<{ readonly delivered: number; readonly failed: number }>();
  expect(await flushed).toEqual({ delivered: 0, failed: 0 });
});
