import RudderAnalytics from '@rudderstack/rudder-sdk-node';

const { ENDPOINT, WRITE_KEY } = process.env;
const analytics = new RudderAnalytics(WRITE_KEY, { dataPlaneUrl: ENDPOINT });

analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 12.5 } });
analytics.page({ userId: 'u1', name: 'Home', properties: { title: 'Shop' } });
analytics.screen({ userId: 'u1', name: 'Main', properties: { tab: 'one' } });
analytics.group({ userId: 'u1', groupId: 'g1', traits: { employees: 3 } });
analytics.alias({ userId: 'u1', previousId: 'a1' });
const timestamp = new Date('2015-02-02T00:30:08.276Z');
analytics.track({ userId: 'u1', event: 'Long Ago', properties: { total: 1 }, timestamp });
await analytics.flush();
