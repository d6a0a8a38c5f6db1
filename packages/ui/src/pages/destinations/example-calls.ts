/** An example call of each type, to start from. */
export const EXAMPLE_CALLS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  track: {
    type: 'track',
    event: 'Order Completed',
    userId: 'test-user',
    properties: { order_id: '50314b8e', total: 27.5, currency: 'EUR' },
  },
  identify: { type: 'identify', userId: 'test-user', traits: { name: 'Ada Lovelace', email: 'ada@example.com' } },
  page: {
    type: 'page',
    name: 'Checkout',
    userId: 'test-user',
    properties: { url: 'https://shop.example.com/checkout' },
  },
  screen: { type: 'screen', name: 'Checkout', userId: 'test-user', properties: { variant: 'short' } },
  group: { type: 'group', userId: 'test-user', groupId: 'test-group', traits: { name: 'Analytical Engines' } },
  alias: { type: 'alias', userId: 'test-user', previousId: 'test-visitor' },
};

/** The call as text for the editor. */
export function written(call: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(call, null, 2);
}
