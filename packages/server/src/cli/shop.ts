import type { CallType } from '../core/event.ts';

/** A call as an application sends it. */
export type Call = { readonly type: CallType } & Readonly<Record<string, unknown>>;

interface Visitor {
  readonly name: string;
  readonly company: string;
}

interface Product {
  readonly product_id: string;
  readonly name: string;
  readonly price: number;
}

/**
 * An endless story of visitors of a small web shop: some look, some sign up, some buy. Several visits run at once, so their calls
 * are mixed. The same `random` gives the same story.
 */
export function* shopCalls(random: () => number): Generator<Call, never> {
  const visits: Iterator<Call>[] = [];
  for (let number = 1; ; ) {
    while (visits.length < AT_ONCE) visits.push(visit(number++, random));
    const place = Math.floor(random() * visits.length);
    const next = visits[place]?.next();
    if (next && !next.done) yield next.value;
    else visits.splice(place, 1);
  }
}

const AT_ONCE = 3;

const VISITORS: readonly Visitor[] = [
  { name: 'Amara Diallo', company: 'Baobab Books' },
  { name: 'Bruno Keller', company: 'Keller Cycles' },
  { name: 'Chiyo Tanaka', company: 'Tanaka Tea' },
  { name: 'Dana Levi', company: 'Levi Lamps' },
  { name: 'Elif Kaya', company: 'Kaya Kilims' },
  { name: 'Finn Murphy', company: 'Murphy Music' },
];

const PRODUCTS: readonly Product[] = [
  { product_id: 'p-101', name: 'Water wheel kit', price: 49.5 },
  { product_id: 'p-102', name: 'Oak stool', price: 89 },
  { product_id: 'p-103', name: 'Rye flour, 5 kg', price: 12.9 },
  { product_id: 'p-104', name: 'Linen bag', price: 7.25 },
];

const SHOP = 'https://shop.example';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** One visit, from the front page to an account to an order. A visitor may leave after each step. */
function* visit(number: number, random: () => number): Generator<Call> {
  const { name, company } = pick(VISITORS, random);
  const anonymousId = `visitor-${number}`;
  const userId = `u-${1000 + number}`;
  const stays = (share: number): boolean => random() < share;
  const seen = (path: string, title: string, who: object): Call => ({
    type: 'page',
    ...who,
    name: title,
    properties: { path, referrer: 'https://search.example/', title, url: SHOP + path },
    context: { userAgent: AGENT, locale: 'en-GB', page: { path, url: SHOP + path } },
  });
  const done = (event: string, who: object, properties: object): Call => ({ type: 'track', event, ...who, properties });

  const guest = { anonymousId };
  yield seen('/', 'Home', guest);
  const product = pick(PRODUCTS, random);
  yield seen(`/products/${product.product_id}`, product.name, guest);
  yield done('Product Viewed', guest, { ...product, currency: 'EUR' });
  if (!stays(0.75)) return;
  const quantity = 1 + Math.floor(random() * 3);
  yield done('Product Added', guest, { ...product, quantity, currency: 'EUR' });
  if (!stays(0.8)) return;

  const member = { userId, anonymousId };
  const email = `${name.toLowerCase().replace(' ', '.')}@mail.example`;
  yield { type: 'alias', userId, previousId: anonymousId };
  yield { type: 'identify', ...member, traits: { name, email, plan: 'free', logins: 1 } };
  if (stays(0.4)) {
    const groupId = company.toLowerCase().replace(' ', '-');
    yield { type: 'group', ...member, groupId, traits: { name: company, employees: 3 + Math.floor(random() * 40) } };
  }
  const order_id = `order-${number}`;
  const total = Math.round(product.price * quantity * 100) / 100;
  yield done('Checkout Started', member, { order_id, value: total, currency: 'EUR' });
  if (!stays(0.8)) return;
  yield done('Order Completed', member, { order_id, total, currency: 'EUR', products: [{ ...product, quantity }] });
}

function pick<T>(choices: readonly T[], random: () => number): T {
  const choice = choices[Math.floor(random() * choices.length)];
  if (choice === undefined) throw new RangeError('random() must be at least 0 and below 1, and there must be a choice');
  return choice;
}
