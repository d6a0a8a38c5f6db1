/** A call for a test that brings none. */
export const SAMPLE_CALL: Readonly<Record<string, unknown>> = {
  type: 'track',
  event: 'Order Completed',
  userId: 'test-user',
  properties: { order_id: '50314b8e', total: 27.5, currency: 'EUR' },
};
