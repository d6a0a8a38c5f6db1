import type { SendMail } from './sending.ts';

/** Longest that a step of the conversation with the mail server may take, milliseconds. */
const STEP_MS = 10_000;

/** Mail by SMTP. The library is loaded with the first of it. */
export function createMail(url: string, from: string): SendMail {
  return async (mail) => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS };
    const transport = createTransport({ url, ...timeouts }, { from });
    try {
      await transport.sendMail(mail);
    } finally {
      transport.close();
    }
  };
}
