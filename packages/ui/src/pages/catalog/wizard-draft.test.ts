import { expect, test } from 'vitest';
import { destinationOf, errorsOf, firstOpenStep, stepFrom, stepOf, type WizardDraft } from './wizard-draft.ts';

const url = (text: string) => ({ key: text, url: text, headers: [] });

const WHOLE: WizardDraft = {
  name: ' CRM ',
  sourceIds: ['src_1'],
  settings: { webhooks: [url(' https://a.example/hook ')], sharedSecret: '', standardSecret: '' },
  enabled: true,
};

test('a step that is not done keeps those after it closed', () => {
  expect(firstOpenStep(WHOLE)).toBe(4);
  expect(firstOpenStep({ ...WHOLE, name: '  ' })).toBe(0);
  expect(firstOpenStep({ ...WHOLE, sourceIds: [] })).toBe(1);
  expect(firstOpenStep({ ...WHOLE, settings: { ...WHOLE.settings, webhooks: [url('a.example')] } })).toBe(2);
});

test.each(['', 'hooks.example.com', 'ftp://a.example/', '/hook'])('"%s" is no URL that takes calls', (text) => {
  const draft = { ...WHOLE, settings: { ...WHOLE.settings, webhooks: [url('https://a.example/'), url(text)] } };
  expect(Object.keys(errorsOf(draft, 2))).toEqual(['settings.webhooks.1.url']);
});

test('a URL that is there already, also in another spelling, is told by the number of the first', () => {
  const webhooks = [url('https://a.example/'), url('https://b.example/'), url(' HTTPS://b.example:443')];
  expect(errorsOf({ ...WHOLE, settings: { ...WHOLE.settings, webhooks } }, 2)).toEqual({
    'settings.webhooks.2.url': 'The same as URL 2: each URL is called once',
  });
});

test('each field that the service may refuse leads to its step', () => {
  expect(['name', 'sourceIds.0', 'settings.webhooks.3.headers.X-A', 'settings.sharedSecret'].map(stepOf)).toEqual([
    0, 1, 2, 3,
  ]);
  expect(stepOf('trackFilter')).toBeNull();
});

test('an address that names no step shows the first', () => {
  expect([undefined, 'nothing', 'urls'].map(stepFrom)).toEqual([0, 0, 2]);
});

test('what is created is trimmed, and no secret is no secret', () => {
  expect(destinationOf(WHOLE)).toEqual({
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: ['src_1'],
    enabled: true,
    settings: { webhooks: [{ url: 'https://a.example/hook', headers: {} }], sharedSecret: null },
  });
});
