const { endpoint, writeKey, mode } = settings;
const analytics = new rudderanalytics.RudderAnalytics();
const beacon = { useBeacon: true, beaconQueueOptions: { flushQueueInterval: 100 } };
analytics.load(writeKey, endpoint, { configUrl: endpoint, ...(mode === 'beacon' ? beacon : {}) });

analytics.identify('u1', { plan: 'pro' });
analytics.track('Order Completed', { total: 12.5 });
analytics.page('Home', { title: 'Shop' });
analytics.group('g1', { employees: 3 });
analytics.alias('u1', 'a1');
analytics.track('Long Ago', { total: 1 }, { originalTimestamp: '2015-02-02T00:30:08.276Z' });
