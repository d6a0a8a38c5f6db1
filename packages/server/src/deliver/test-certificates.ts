import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  readonly name: string;
  readonly pem: string;
  readonly key: string;
  readonly privateKey: KeyObject;
}

export interface Wish {
  readonly name: string;
  readonly host?: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  readonly authority?: boolean;
  /** Whether it has a critical extension that no client understands. */
  readonly isOdd?: boolean;
  /** Itself where there is none. */
  readonly issuer?: Certificate;
}

const OID = {
  commonName: Buffer.from('0603550403', 'hex'),
  basicConstraints: Buffer.from('0603551d13', 'hex'),
  subjectAltName: Buffer.from('0603551d11', 'hex'),
  unknown: Buffer.from('06032a0304', 'hex'),
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
};

/** Makes an X.509 certificate (RFC 5280), so that the tests need no program for it. */
export function certify(wish: Wish): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, OID.ecdsaWithSha256);
  const nameOf = (text: string): Buffer =>
    der(0x30, der(0x31, der(0x30, OID.commonName, der(0x0c, Buffer.from(text)))));
  const timeOf = (at: number): Buffer => der(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));
  const extensions = [
    ...(wish.host === undefined
      ? []
      : [der(0x30, OID.subjectAltName, der(0x04, der(0x30, der(0x82, Buffer.from(wish.host)))))]),
    ...(wish.authority === true
      ? [der(0x30, OID.basicConstraints, der(0x01, Buffer.of(0xff)), der(0x04, der(0x30, der(0x01, Buffer.of(0xff)))))]
      : []),
    ...(wish.isOdd === true ? [der(0x30, OID.unknown, der(0x01, Buffer.of(0xff)), der(0x04, der(0x05)))] : []),
  ];
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    nameOf(wish.issuer?.name ?? wish.name),
    der(0x30, timeOf(wish.from), timeOf(wish.until)),
    nameOf(wish.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = sign('sha256', content, wish.issuer?.privateKey ?? privateKey);
  const certificate = der(0x30, content, algorithm, der(0x03, Buffer.of(0), signature));
  return {
    name: wish.name,
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pem: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** One ASN.1 value in DER. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const length = bytes.length < 128 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), bytes]);
}
