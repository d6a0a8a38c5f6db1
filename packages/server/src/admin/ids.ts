import { randomBytes, randomInt } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `src_`, `dst_`, `url_`, `rpl_`, `reg_`, `aud_`, `trt_`, `acc_`, `inv_`, `tok_` or `adr_` and 16 random characters (80 bits). */
export function newId(
  kind: 'src' | 'dst' | 'url' | 'rpl' | 'reg' | 'aud' | 'trt' | 'acc' | 'inv' | 'tok' | 'adr',
): string {
  let id = `${kind}_`;
  for (const byte of randomBytes(16)) id += BASE32[byte & 31];
  return id;
}

/** 32 random letters and digits (190 bits). */
export function newWriteKey(): string {
  let key = '';
  while (key.length < 32) key += BASE62[randomInt(BASE62.length)];
  return key;
}
