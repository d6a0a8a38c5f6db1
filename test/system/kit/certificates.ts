import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The certificate as a file, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
}

/** Makes certificates with openssl in a folder of the caller's. */
export class Certificates {
  readonly #folder: string;
  readonly authority: Certificate;

  constructor(folder: string) {
    this.#folder = folder;
    this.authority = this.selfSigned('authority', ['-addext', 'basicConstraints=critical,CA:TRUE']);
  }

  selfSigned(
    name: string,
    more: readonly string[] = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ): Certificate {
    const { key, cert } = this.#files(name);
    this.#openssl([
      'req',
      '-x509',
      ...KEY,
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      ...more,
    ]);
    return this.#read(name);
  }

  /** Signed by the authority, for these names. */
  signed(name: string, subjectAltName: string, days = 2): Certificate {
    const { key, cert } = this.#files(name);
    const request = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    const authority = this.#files('authority');
    writeFileSync(extensions, `subjectAltName=${subjectAltName}\n`);
    this.#openssl(['req', ...KEY, '-keyout', key, '-out', request, '-subj', `/CN=${name}`]);
    this.#openssl([
      'x509',
      '-req',
      '-in',
      request,
      '-out',
      cert,
      '-CA',
      authority.cert,
      '-CAkey',
      authority.key,
      '-CAcreateserial',
      '-days',
      String(days),
      '-extfile',
      extensions,
    ]);
    return this.#read(name);
  }

  #files(name: string): { readonly key: string; readonly cert: string } {
    return { key: join(this.#folder, `${name}.key`), cert: join(this.#folder, `${name}.pem`) };
  }

  #read(name: string): Certificate {
    const { key, cert } = this.#files(name);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert };
  }

  #openssl(args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const;
