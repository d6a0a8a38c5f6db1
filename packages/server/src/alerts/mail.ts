import type { SendMail } from './sending.ts';

/** Longest wait for a mail server to answer at all, milliseconds. */
const GREETING_MS = 10_000;
/** Longest wait for what it says of a mail, which may be looked through first. */
const ANSWER_MS = 60_000;

/** Mail by SMTP. The library is loaded with the first of it. */
export function createMail(url: string, from: string): SendMail {
  return async (mail) => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: GREETING_MS, greetingTimeout: GREETING_MS, socketTimeout: ANSWER_MS };
    const transport = createTransport({ url, ...timeouts }, { from });
    try {
      await transport.sendMail(mail);
    } finally {
      transport.close();
    }
  };
}
