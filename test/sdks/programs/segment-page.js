const { endpoint, writeKey, mode } = settings;
const delivery = mode === 'batching' ? { deliveryStrategy: { strategy: 'batching', config: { size: 7 } } } : {};
const analytics = AnalyticsNext.AnalyticsBrowser.load(
  { writeKey, cdnURL: endpoint },
  { integrations: { 'Segment.io': delivery } },
);

analytics.identify('u1', { plan: 'pro' });
analytics.track('Order Completed', { total: 12.5 });
analytics.page('Home', { title: 'Shop' });
analytics.screen('Main', { tab: 'one' });
analytics.group('g1', { employees: 3 });
analytics.alias('u1', 'a1');
analytics.track('Long Ago', { total: 1 }, { timestamp: new Date('2015-02-02T00:30:08.276Z') });
